package main

import (
	"os"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	t.Parallel()
	got, err := parseStat("4242 (a (very) odd) name) S 17 4242 4242 0 -1 4194560 1 2 3 4 150 50 30 20 20 0 1 0 99\n")
	if want := (procStat{parent: 17, own: 2 * time.Second, ended: 500 * time.Millisecond}); err != nil || got != want {
		t.Errorf("read as %+v (%v), want %+v", got, err, want)
	}
	for _, text := range []string{"", "4242", "4242 (name) S 17", "4242 (name) S x 1 1 0 -1 1 1 2 3 4 150 50 30 20 20 0"} {
		if got, err := parseStat(text); err == nil {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}

func TestParseMemory(t *testing.T) {
	t.Parallel()
	status := "Name:\tclientintel\nVmPeak:\t  999 kB\nVmHWM:\t   48 kB\nVmRSS:\t   12 kB\n"
	if got := parseMemory(status, "VmHWM"); got != 48<<10 {
		t.Errorf("VmHWM is %d, want %d", got, 48<<10)
	}
	if got := parseMemory(status, "Pss"); got != 0 {
		t.Errorf("what is not told is %d", got)
	}
}

// The figures of this process are plausible.
func TestOfThisProcess(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Log("there is no /proc: figures are left out")
		return
	}
	for began := time.Now(); cpuOf(os.Getpid()) == 0; {
		if time.Since(began) > 10*time.Second {
			t.Fatal("ten seconds of work are no CPU time")
		}
	}
	if got := memoryOf(os.Getpid(), "status", "VmHWM"); got < 1<<20 {
		t.Errorf("the peak of memory is %d bytes", got)
	}
	if cpuOfTree(os.Getpid()) < cpuOf(os.Getpid()) {
		t.Error("a process and its children used less than the process")
	}
}
