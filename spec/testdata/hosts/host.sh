# A host of the step protocol in shell: one step, and a score. Its first argument
# is what it says that it has.
steps='[{"name":"planner","needs":["question"],"cost":2,"version":"v1","key":true,"concurrency":3,"variants":[{"name":"dated"}]},{"name":"other"}]'
while read -r line; do
	id=${line#*'"id":'}
	id=${id%%,*}
	case $line in
	*'"initialize"'*) result='{"protocol":1,"kind":"steps","steps":'$steps',"score":{"needs":["write"]}}' ;;
	*'"step/run"'*'"variant":"dated"'*) result='{"output":{"dated":true}}' ;;
	*'"step/run"'*) result='{"output":{"dated":false}}' ;;
	*'"step/key"'*'true'*) result='{"key":1}' ;;
	*'"step/key"'*) result='{"key":0}' ;;
	*'"score"'*'"values":{"write":"new"}'*) result='{"score":1}' ;;
	*) result='{"score":0}' ;;
	esac
	printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
