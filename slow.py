import sys,time,os
time.sleep(0.5)
open("starts.log","a").write(" ".join(sys.argv[1:])+"\n")
sys.argv=["steps.py"]+sys.argv[1:]
exec(open("steps.py").read())
