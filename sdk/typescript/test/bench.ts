// How many trivial step runs a host does in a second, beside a bare echo of the
// same lines: npm run bench.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const requests = 200_000;
const inFlight = 64;

/** Runs a program on the requests, and returns how many it answered in a second. */
async function measure(fixture: string): Promise<number> {
  const child = spawn(process.execPath, [fileURLToPath(new URL(`fixtures/${fixture}.js`, import.meta.url))], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let sent = 0;
  let answered = 0;
  const send = (n: number): void => {
    let out = "";
    for (; n > 0 && sent < requests; n--) {
      sent++;
      out += `{"jsonrpc":"2.0","id":${sent},"method":"step/run","params":{"step":"add","iteration":"1","inputs":{"n":${sent}},"noise":{"seed":"7","world":"0","step":"add","iteration":"1"},"deadline_ms":60000}}\n`;
    }
    if (out !== "") child.stdin.write(out);
  };
  child.stdout.setEncoding("latin1");
  let start = 0;
  await new Promise<void>((resolve) => {
    child.stdout.on("data", (text: string) => {
      if (answered === 0) start = performance.now(); // the process has started
      let n = 0;
      for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) n++;
      answered += n;
      if (answered === requests) resolve();
      else send(n);
    });
    send(inFlight);
  });
  const perSecond = (requests / (performance.now() - start)) * 1000;
  child.stdin.end();
  return perSecond;
}

for (const round of [1, 2, 3]) {
  const echo = await measure("echo");
  const host = await measure("trivial");
  console.log(`round ${round}: host ${Math.round(host)}/s, bare echo ${Math.round(echo)}/s, ${Math.round((100 * host) / echo)} %`);
}
