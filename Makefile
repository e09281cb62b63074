# make help lists what there is.

# Real data and references that some tests are held to; they skip without it.
SHARED := $(wildcard ../shared)
ifneq ($(SHARED),)
export AGENTBLAME_SHARED ?= $(abspath $(SHARED))
endif

.PHONY: help demo test soak lint fuzz bench build

help: ## what there is
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

demo: ## the worked pipelines
	go run ./cmd/agentblame demo

build: ## the command, as ./agentblame
	go build -o agentblame ./cmd/agentblame

# The random cases of the property tests are the same in every run, so that a
# failure is the change's and not the day's; soak looks at others.
test: export RAPID_SEED ?= 1
test: ## all tests, with the race detector
	go test -race ./...

N ?= 10
soak: ## the property tests N times (10), each time on other random cases
	for pkg in $$(go list -f '{{.ImportPath}} {{.TestImports}} {{.XTestImports}}' ./... | grep pgregory.net/rapid | cut -d' ' -f1); do \
		go test -count=$(N) $$pkg || exit 1; \
	done

lint: ## form and common mistakes
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || (gofmt -l $$(git ls-files '*.go'); exit 1)
	go vet ./...
	go tool staticcheck ./...

fuzz: ## each fuzz target for ten seconds
	@go list ./... | while read -r pkg; do \
		go test -list '^Fuzz' $$pkg | grep '^Fuzz' | while read -r target; do \
			go test -run '^$$' -fuzz "^$$target$$" -fuzztime 10s $$pkg || exit 1; \
		done || exit 1; \
	done

bench: ## speed, as bench/README.md reports it
	go test -run '^$$' -bench . -benchmem ./noise ./game ./replay ./confseq
