package embedded

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// passwordFile holds the password of every login. Only the account that runs this
// program can read it, so that another process of the server's account does not
// become its superuser by accident.
const passwordFile = "postgres.password"

// passwordLength is that of rand.Text: 130 bits.
const passwordLength = 26

// password returns the file's text, empty without a file.
func (h dataDir) password() (string, error) {
	path := filepath.Join(h.dir, passwordFile)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", dirError(h.dir, err)
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("%s must be a file that only its owner can read: chmod 600 it", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", dirError(h.dir, err)
	}
	if len(text) != 0 && len(text) != passwordLength {
		return "", fmt.Errorf("%s does not hold the %d characters that were written: restore it from a backup", path, passwordLength)
	}
	return string(text), nil
}

// makePassword is password, and writes a missing one. This process has the server lock.
func (h dataDir) makePassword() (string, error) {
	if text, err := h.password(); text != "" || err != nil {
		return text, err
	}
	f, err := h.openFile(passwordFile)
	if err != nil {
		return "", err
	}
	text := rand.Text()
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Sync(), f.Close(), syncDir(h.dir)); err != nil {
		return "", dirError(h.dir, err)
	}
	return text, nil
}
