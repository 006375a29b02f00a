package main

import "strings"

// goal is one measure with its threshold and its aim.
type goal struct {
	// key names it in the JSON output.
	key  string
	text string
	unit string // of the value; empty for a ratio
	// moreIsBetter: the value is to be at least threshold and aim, otherwise at most.
	moreIsBetter bool
	threshold    float64
	aim          float64
	// isExact: every value but threshold is wrong.
	isExact bool
	// hasNoVerdict: the value is only reported.
	hasNoVerdict bool
	// isOptional: it has no value unless -against is given.
	isOptional bool
}

// number is the goal that a measure belongs to: 2 of 2a, but 4b is one of its own.
func (g goal) number() string { return numberOf(g.key) }

func numberOf(key string) string {
	end := strings.IndexFunc(key, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 || key == "4b" {
		return key
	}
	return key[:end]
}

func goals() []goal {
	return []goal{
		{key: "1", text: "page of 50, mid-corpus, 32 connections ÷ best pgbench of its SQL", moreIsBetter: true, threshold: 0.40, aim: 0.60},
		{key: "2a", text: "the same ÷ baseline server, 32 connections", moreIsBetter: true, threshold: 2.0, aim: 3.0},
		{key: "2b", text: "the same ÷ baseline server, 1 connection", moreIsBetter: true, threshold: 1.3, aim: 1.6},
		{key: "3", text: "the same ÷ itself with admission off", moreIsBetter: true, threshold: 0.65, aim: 0.80},
		{key: "4", text: "canonical ÷ legacy client, same continuation page", moreIsBetter: true, threshold: 0.85, aim: 0.95},
		{key: "4b", text: "first page with a basis of 9,999 ids ÷ continuation page, worse of unfiltered and filtered", moreIsBetter: true, threshold: 0.5, aim: 0.8},
		{key: "5a", text: "page time, 1 million ÷ 10 thousand interviews", threshold: 1.6, aim: 1.3},
		{key: "5b", text: "page time, all created_at equal ÷ all different, same size", threshold: 2, aim: 1.2},
		{key: "6", text: "WAL a request, log and status, no full-page images", unit: "bytes", threshold: 800, aim: 550},
		{key: "7a", text: "200-row pages with transcripts ÷ best pgbench of their SQL", moreIsBetter: true, threshold: 0.55, aim: 0.75},
		{key: "7b", text: "peak server memory meanwhile, 32 connections", unit: "MB", threshold: 64, aim: 48},
		{key: "8a", text: "analytics of 30 days, time ÷ pgbench of its rows", threshold: 1.5, aim: 1.1},
		{key: "8b", text: "peak server memory, analytics of the full history", unit: "MB", threshold: 128, aim: 96},
		{key: "9a", text: "search, worst of 16 kinds ÷ one strpos scan of the same rows", threshold: 1.5, aim: 1.1},
		{key: "9b", text: "search, worst of 16 kinds, client of 3 thousand", unit: "ms", threshold: 10, aim: 5},
		{key: "10a", text: "search p99, common term", unit: "ms", threshold: 25, aim: 10},
		{key: "10b", text: "search p99, rare or absent word", unit: "ms", threshold: 60, aim: 25},
		{key: "10c", text: "search p99, rare phrase of common words", unit: "ms", threshold: 400, aim: 250},
		{key: "11", text: "page p99 while the worst search runs ÷ quiet", threshold: 3, aim: 2},
		{key: "12", text: "import, usable rule and totals kept ÷ bare COPY of the same rows", threshold: 1.5, aim: 1.2},
		{key: "12_with_search", text: "the same, search documents kept too", threshold: 1.8, aim: 1.5},
		{key: "13", text: "response validation sample ÷ off", moreIsBetter: true, threshold: 0.95, aim: 0.98},
		{key: "13_enforce", text: "response validation enforce ÷ off", moreIsBetter: true, hasNoVerdict: true},
		{key: "others", text: "page of 50 ÷ the first server named with -against", hasNoVerdict: true, isOptional: true},
		{key: "14", text: "one key, two servers, 64 connections: admitted", unit: "requests", threshold: 600, aim: 600, isExact: true},
		{key: "15a", text: "start to ready, warm data directory", unit: "s", threshold: 1, aim: 0.5},
		{key: "15b", text: "idle memory of the server", unit: "MB", threshold: 40, aim: 30},
		{key: "16_1", text: "page of 50 ÷ upper bound, 1 connection, one client", moreIsBetter: true, threshold: 0.33, aim: 0.45},
		{key: "16_8", text: "the same, 8 connections", moreIsBetter: true, threshold: 0.42, aim: 0.50},
		{key: "16_32", text: "the same, 32 connections", moreIsBetter: true, threshold: 0.52, aim: 0.60},
		{key: "16_1_mixed", text: "the same, 1 connection, many clients", moreIsBetter: true, threshold: 0.33, aim: 0.45},
		{key: "16_8_mixed", text: "the same, 8 connections, many clients", moreIsBetter: true, threshold: 0.42, aim: 0.50},
		{key: "16_32_mixed", text: "the same, 32 connections, many clients", moreIsBetter: true, threshold: 0.52, aim: 0.60},
		{key: "17_1", text: "page of 50, p99 ÷ p50, 1 connection, one client", threshold: 3, aim: 2},
		{key: "17_8", text: "the same, 8 connections", threshold: 3, aim: 2},
		{key: "17_32", text: "the same, 32 connections", threshold: 3, aim: 2},
		{key: "17_1_mixed", text: "the same, 1 connection, many clients", threshold: 3, aim: 2},
		{key: "17_8_mixed", text: "the same, 8 connections, many clients", threshold: 3, aim: 2},
		{key: "17_32_mixed", text: "the same, 32 connections, many clients", threshold: 3, aim: 2},
		{key: "18_1", text: "page of 50 ÷ baseline server, 1 connection, one client", moreIsBetter: true, threshold: 2, aim: 2.5},
		{key: "18_8", text: "the same, 8 connections", moreIsBetter: true, threshold: 2.5, aim: 3},
		{key: "18_32", text: "the same, 32 connections", moreIsBetter: true, threshold: 2.7, aim: 3.2},
		{key: "18_1_mixed", text: "the same, 1 connection, many clients", moreIsBetter: true, threshold: 2, aim: 2.5},
		{key: "18_8_mixed", text: "the same, 8 connections, many clients", moreIsBetter: true, threshold: 2.5, aim: 3},
		{key: "18_32_mixed", text: "the same, 32 connections, many clients", moreIsBetter: true, threshold: 2.7, aim: 3.2},
		{key: "19", text: "page of 50, CPU time a request, 1 connection ÷ 32, one client", threshold: 1.6, aim: 1.3},
		{key: "19_mixed", text: "the same, many clients", threshold: 1.6, aim: 1.3},
		{key: "20", text: "folding a text for search, ten times the bytes ÷ one time, worst of seven alphabets, 10 KB to 10 MB", threshold: 12, aim: 11},
		{key: "21", text: "50 synthesis documents ÷ best pgbench of their SQL, 32 connections", moreIsBetter: true, threshold: 0.4, aim: 0.6},
		{key: "22", text: "one interview ÷ best pgbench of its SQL, 32 connections", hasNoVerdict: true},
		{key: "23_1_page", text: "MCP tool call ÷ REST, CPU time a request, 1 connection, page of 50", threshold: 1.3, aim: 1.15},
		{key: "23_1_one", text: "the same, one interview", threshold: 1.3, aim: 1.15},
		{key: "23_1_campaigns", text: "the same, 20 campaigns", threshold: 1.3, aim: 1.15},
		{key: "23_8_page", text: "the same, 8 connections, page of 50", threshold: 1.3, aim: 1.15},
		{key: "23_8_one", text: "the same, one interview", threshold: 1.3, aim: 1.15},
		{key: "23_8_campaigns", text: "the same, 20 campaigns", threshold: 1.3, aim: 1.15},
		{key: "24_page", text: "time of a page of 50 anywhere, a client ÷ one with a tenth of its interviews", threshold: 1.2, aim: 1.1},
		{key: "24_cached", text: "the same, a hundred pages again and again", threshold: 1.2, aim: 1.1},
		{key: "24_first", text: "the same, first page without a basis", threshold: 1.2, aim: 1.1},
		{key: "24_detail", text: "the same, one interview anywhere", threshold: 1.2, aim: 1.1},
		{key: "24_transcripts", text: "the same, page of 200 with transcripts", threshold: 1.2, aim: 1.1},
		{key: "24_total", text: "the same, one campaign with the measurement's total", threshold: 1.2, aim: 1.1},
		{key: "24_analytics", text: "the same, 30 days of analytics, time a row", threshold: 1.2, aim: 1.1},
		{key: "24_search_common", text: "the same, search for a word of 4 %", threshold: 1.2, aim: 1.1},
		{key: "24_search_rare", text: "the same, search for a rare word", threshold: 1.2, aim: 1.1},
		{key: "24_search_phrase", text: "the same, search for a rare phrase of common words", hasNoVerdict: true},
		{key: "24_search_scan", text: "the same, search for two letters that no interview holds", hasNoVerdict: true},
		{key: "24_walk", text: "time of a page a 28th and of one seven tenths into a walk ÷ its beginning, the slower of the two", threshold: 1.2, aim: 1.1},
	}
}

// verdict compares a value with the goal and the threshold.
func (g goal) verdict(value float64) string {
	meets := func(bound float64) bool {
		switch {
		case g.isExact:
			return value == bound
		case g.moreIsBetter:
			return value >= bound
		default:
			return value <= bound
		}
	}
	switch {
	case g.hasNoVerdict:
		return "info"
	case meets(g.aim):
		return "pass"
	case meets(g.threshold):
		return "near"
	default:
		return "MISS"
	}
}
