# make alone prints the targets.
GO ?= go
# Other people's tools, with the hash of every package: .ci/tools.
GOLANGCI = $(GO) tool -modfile=.ci/tools/go.mod golangci-lint
DEADCODE = $(GO) tool -modfile=.ci/tools/go.mod deadcode -tags grpcnotrace
# A module of its own, beside ./... .
GO_CLIENT = openapi/clients/go
NPM_TOOLS = .ci/tools/node_modules/.bin
FUZZTIME ?= 10s

# Every target is a command, none a file.
.PHONY: $(shell awk -F: '/^[a-z-]+:.*## / {print $$1}' $(MAKEFILE_LIST))

help: ## print the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: build ## embedded database, two demo brands, keys, server, links to open
	bin/clientintel demo

# The tag leaves a page of traces out of a library, whose templates call methods by
# name: the linker would keep every method of every type, a sixth of the program.
build: ## build bin/clientintel
	CGO_ENABLED=0 $(GO) build -tags grpcnotrace -trimpath -buildvcs=false -o bin/clientintel ./cmd/clientintel

dist: ## build a release into dist/: static binaries, clients, bills of materials, checksums
	$(GO) run ./internal/tools/release

dist-check: ## the same, and twice more elsewhere: every file must come out the same
	$(GO) run ./internal/tools/release -check

generate: ## make gen/, sql/schema.sql and the embedded documents from their sources
	$(GO) run ./internal/tools/generate

check-generated: ## fail when generated code is stale
	$(GO) run ./internal/tools/generate -check

# deadcode prints what it finds and exits 0.
lint: ## vet and lint the Go code, and fail on a function that the program cannot call
	$(GO) vet ./...
	$(GOLANGCI) run ./...
	@unreachable=$$($(DEADCODE) ./cmd/clientintel) && test -z "$$unreachable" || { echo "$$unreachable"; exit 1; }
	$(GO) -C $(GO_CLIENT) mod tidy -diff
	cd $(GO_CLIENT) && $(GO) tool -modfile=../../../.ci/tools/go.mod golangci-lint run ./...

CONTRACTS = openapi/openapi.yaml openapi/admin.yaml
lint-contract: ## check the contracts with two independent linters
	npm ci --prefix .ci/tools --ignore-scripts --no-audit --no-fund
	REDOCLY_TELEMETRY=off $(NPM_TOOLS)/redocly lint --config .redocly.yaml $(CONTRACTS)
	$(NPM_TOOLS)/spectral lint --ruleset .spectral.yaml --fail-severity warn $(CONTRACTS)

# The first line tests the check itself, on edits of the contract.
contract-diff: ## fail when the contract breaks clients of the last release
	$(GO) test -tags contractdiff -run TestContractDiff ./openapi
	.ci/contract-diff openapi/openapi.yaml openapi/released

# One PostgreSQL for the tests of all packages. PG_MAJOR=18 makes it that one, without the
# package that tests how the programs are found.
ON_POSTGRES = $(if $(PG_MAJOR),CLIENTINTEL_POSTGRES_BIN=$$(.ci/postgres $(PG_MAJOR))) $(GO) run ./internal/test/withpostgres
test: ## run the packages' tests on a real PostgreSQL
	$(ON_POSTGRES) $(GO) test $$($(GO) list ./... | grep -vE '/internal/(test/|tools/release$$$(if $(PG_MAJOR),|embedded$$))')
	$(ON_POSTGRES) $(GO) -C $(GO_CLIENT) test ./...

test-all: ## the same and the tests of the whole program, under the race detector
	$(ON_POSTGRES) $(GO) test -race -timeout 15m ./...
	$(ON_POSTGRES) $(GO) -C $(GO_CLIENT) test -race ./...

# ONLY='cursor|scope' tries those whose name or file matches.
mutants: ## remove one guard after another and fail where its test still passes
	$(GO) run ./internal/tools/mutants $(if $(ONLY),-only '$(ONLY)')

plans: ## print how PostgreSQL runs each query on a client of a million interviews
	INTERVIEWS=1000000 $(GO) test -count=1 -v -timeout 60m -run TestPlans_ReadersReadNoWholeTable ./internal/postgres

# BRANDS=50 INTERVIEWS=20000 as here, or others.
sync-cost: ## print what a night costs on which nothing changed, in time and WAL
	BRANDS=$(or $(BRANDS),50) INTERVIEWS=$(or $(INTERVIEWS),20000) $(GO) test -count=1 -v -timeout 60m -run TestSync_AnUnchangedNight ./cmd/clientintel

# SCALE=full, DATA=dir keeps the loaded databases, OTHER=program takes turns with another
# build, ONLY='page|memory' measures a part, ROUNDS=n, DURATION=2s a side and round. See
# docs/benchmark.md.
bench: ## compare the server with another build and a baseline server
	$(GO) run ./internal/tools/bench -scale $(or $(SCALE),small) $(if $(DATA),-data $(DATA)) $(if $(OTHER),-other $(OTHER)) \
		$(if $(ONLY),-only '$(ONLY)') $(if $(ROUNDS),-rounds $(ROUNDS)) $(if $(DURATION),-duration $(DURATION))

bench-sanity: ## the same at tiny scale: checks the responses, not the timings
	$(GO) run ./internal/tools/bench -scale tiny -rounds 1

# Long runs are timed. Go before 1.27 may end one with "context deadline
# exceeded" and no input written: that is Go's own race, and no finding.
fuzz: ## fuzz everything that decodes a caller's bytes, FUZZTIME each
	@$(call each-fuzz,$(FUZZTIME))

# Counted, so that a slow machine only takes longer. One worker where each starts
# a PostgreSQL of its own.
fuzz-short: ## the same for a minute and a half in all
	@$(call each-fuzz,$$(case " $(FUZZ_ON_POSTGRES) " in (*" $$name "*) echo 250x -parallel 1;; (*) echo 5000x;; esac))

FUZZ_ON_POSTGRES = FuzzImport
# A minimization is bounded too, or one of them takes the whole time.
each-fuzz = set -e; grep -rn --include='*_test.go' '^func Fuzz' . | sort | while IFS=':(' read -r file _ name _; do \
	name=$${name\#func }; package=$$(dirname $$file); echo "$$package $$name"; \
	$(GO) test -run '^$$' -fuzz "^$$name$$" -fuzztime $(1) -fuzzminimizetime 50x $$package </dev/null; \
done

# After the release's commit: from then on these migrations are not edited.
released: ## list the released migrations and the release's commit in sql/released.json
	@$(GO) test -count=1 -run TestMigrations_ReleasedOnesAreNotEdited ./internal/postgres
	@test -z "$$(git status --porcelain sql/migrations)" || { echo "commit sql/migrations first" >&2; exit 1; }
	@{ printf '{\n  "commit": "%s",\n  "migrations": {\n' "$$(git rev-parse HEAD)"; \
	cd sql/migrations && sha256sum *.sql | sed 's/^\([0-9a-f]*\)  \(.*\)$$/    "\2": "\1",/; $$ s/,$$//'; printf '  }\n}\n'; } >sql/released.json.new
	@mv sql/released.json.new sql/released.json

# VULN=offline passes where the database is out of reach, and says so.
vuln: ## check what the program calls against the Go vulnerability database
	@GO=$(GO) VULN=$(VULN) .ci/vulncheck

# clientintel_testing lets a test set the quota and its window.
partners: ## check the service with third-party tools (installs them; needs the network)
	.ci/install partners
	$(MAKE) test PG_MAJOR=18
	$(MAKE) mutants
	PATH="$$PATH:/usr/sbin" $(GO) test -tags partners,clientintel_testing -count=1 -timeout 30m ./internal/test/partners/... ./internal/test/guides

screenshot: ## take the README's picture of /explore (installs npm packages; needs Chromium)
	mkdir -p .cache/screenshots
	SCREENSHOTS=$(CURDIR)/.cache/screenshots $(GO) test -tags partners,clientintel_testing -count=1 -run TestExplorer ./internal/test/partners/docs
	cp .cache/screenshots/explore.png docs/explore.png

# One coordinator and two workers for each package, on 127.0.0.1. Beside the tests of
# its own, the suites that see the program from outside, on a distributed database each.
# Those that cannot apply there:
#   FuzzImport                         empties tables by TRUNCATE, which is refused there
#   TestVacuum_LeavesTheTableVacuumed  looks at the table on the coordinator, which is empty
NOT_DISTRIBUTED = ^(FuzzImport|TestVacuum_LeavesTheTableVacuumed)$$
distributed: ## run the program's suites on PostgreSQL with Citus
	$(GO) test -tags distributed -count=1 -timeout 30m ./internal/test/distributed
	CLIENTINTEL_TEST_DISTRIBUTED=yes $(GO) test -p 1 -count=1 -timeout 60m -skip '$(NOT_DISTRIBUTED)' ./internal/server ./internal/importer ./internal/mcp ./internal/test/isolation ./internal/ratelimit

# ONLY='search|idle' runs those whose name matches. It needs HAProxy (.ci/install partners).
overload: ## flood servers, behind deploy/haproxy.cfg and alone, and print how another client is affected
	PATH="$$PATH:/usr/sbin" $(GO) run ./internal/tools/overload $(if $(ONLY),-only '$(ONLY)')

soak: ## mixed load, writers, restarts and faults for DURATION, with everything checked
	$(GO) test -tags soak -count=1 -v -timeout 0 -run TestSoak ./internal/test/resilience -args -soak $(or $(DURATION),10m)

ci: check-generated build lint lint-contract contract-diff test-all fuzz-short vuln bench-sanity ## all that a change must pass
