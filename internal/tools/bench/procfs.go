package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of CPU time in /proc, whatever the kernel counts in.
const tick = 10 * time.Millisecond

// procStat is what is wanted of /proc/PID/stat.
type procStat struct {
	parent int
	// own is the process's CPU time, ended that of its children that are gone.
	own, ended time.Duration
}

func parseStat(text string) (procStat, error) {
	// The name in brackets may hold anything, brackets included.
	at := strings.LastIndexByte(text, ')')
	fields := strings.Fields(text[at+1:])
	if at < 0 || len(fields) < 15 {
		return procStat{}, fmt.Errorf("%q is no process's state", text)
	}
	var s procStat
	var ticks [4]int64
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return procStat{}, err
	}
	for i := range ticks { // utime, stime, cutime, cstime
		if ticks[i], err = strconv.ParseInt(fields[11+i], 10, 64); err != nil {
			return procStat{}, err
		}
	}
	s.parent = parent
	s.own, s.ended = time.Duration(ticks[0]+ticks[1])*tick, time.Duration(ticks[2]+ticks[3])*tick
	return s, nil
}

func statOf(pid int) (procStat, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return procStat{}, err
	}
	return parseStat(string(text))
}

// cpuOf is a process's CPU time; 0 where there is no /proc.
func cpuOf(pid int) time.Duration {
	s, _ := statOf(pid)
	return s.own
}

// cpuOfTree is that of a process and its children, those gone included.
func cpuOfTree(pid int) time.Duration {
	root, err := statOf(pid)
	if err != nil {
		return 0
	}
	for {
		var children time.Duration
		for _, child := range childrenOf(pid) {
			children += cpuOf(child)
		}
		// A child that ended in between would count twice, or not at all.
		again, err := statOf(pid)
		if err != nil {
			return 0
		}
		if again.ended == root.ended {
			return again.own + again.ended + children
		}
		root = again
	}
}

func childrenOf(pid int) []int {
	paths, _ := filepath.Glob("/proc/[0-9]*/stat")
	var children []int
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		if s, err := parseStat(string(text)); err == nil && s.parent == pid {
			if child, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
				children = append(children, child)
			}
		}
	}
	return children
}

// memoryOf reads a figure in kB of a file below /proc/PID, such as VmHWM of
// status; in bytes, 0 where it is missing.
func memoryOf(pid int, file, name string) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	return parseMemory(string(text), name)
}

func parseMemory(text, name string) int64 {
	for line := range strings.Lines(text) {
		value, found := strings.CutPrefix(line, name+":")
		if !found {
			continue
		}
		kB, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err != nil {
			return 0
		}
		return kB << 10
	}
	return 0
}
