//go:build linux

package main

import (
	"time"

	"github.com/prometheus/procfs"
)

// tick is the unit of CPU time in /proc.
const tick = 10 * time.Millisecond

// cpuOf is the CPU time of a process.
func cpuOf(pid int) time.Duration {
	stat, err := statOf(pid)
	if err != nil {
		return 0 // it has ended
	}
	return tick * time.Duration(stat.UTime+stat.STime)
}

// cpuOfTree is that of a process and its children, those that ended included.
func cpuOfTree(pid int) time.Duration {
	root, err := statOf(pid)
	if err != nil {
		return 0
	}
	sum := tick * time.Duration(root.UTime+root.STime+uint(root.CUTime)+uint(root.CSTime))
	all, _ := procfs.AllProcs()
	for _, p := range all {
		if stat, err := p.Stat(); err == nil && stat.PPID == pid {
			sum += tick * time.Duration(stat.UTime+stat.STime)
		}
	}
	return sum
}

func statOf(pid int) (procfs.ProcStat, error) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return procfs.ProcStat{}, err
	}
	return p.Stat()
}

// memoryOf is a process's memory now and at its height, in MB.
func memoryOf(pid int) (now, peak float64) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return 0, 0
	}
	status, err := p.NewStatus()
	if err != nil {
		return 0, 0
	}
	return float64(status.VmRSS) / (1 << 20), float64(status.VmHWM) / (1 << 20)
}
