package embedded

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lockFile is a file to lock. The kernel releases the lock when the process ends; the file
// stays, because removing it would let two processes lock two files of one name.
type lockFile struct{ *os.File }

func openLock(h dataDir, name string) (lockFile, error) {
	f, err := h.openFile(name)
	return lockFile{f}, err
}

func (l lockFile) tryExclusive() (bool, error) { return l.try(syscall.LOCK_EX) }
func (l lockFile) tryShared() (bool, error)    { return l.try(syscall.LOCK_SH) }

func (l lockFile) try(how int) (bool, error) {
	err := syscall.Flock(int(l.Fd()), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("locking %s: %w (is it on a network file system? name a local directory with --data-dir)", l.Name(), err)
	}
	return true, nil
}

func (l lockFile) unlock() { _ = syscall.Flock(int(l.Fd()), syscall.LOCK_UN) }

// close unlocks first: a child that is just being started has a copy of the file, which
// would keep the lock a moment longer. The file may be nil, if it could not be opened.
func (l lockFile) close() {
	l.unlock()
	_ = l.Close()
}
