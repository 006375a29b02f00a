package importer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Of a download that breaks off, the rest is asked for so many times in a row.
const (
	maxResumes  = 5
	resumeAfter = time.Second
	// stalledAfter is how long a response may take to begin.
	stalledAfter = time.Minute
)

// Address is the source at an http or https address. A fragment #sha256=… is the
// checksum of what is there, before decompression. Errors do not show the query,
// which may hold a secret.
func Address(text string) (Source, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return Source{}, errors.New("an address must read http(s)://host/path")
	}
	sum, isSum := strings.CutPrefix(u.Fragment, "sha256=")
	if _, err := hex.DecodeString(sum); u.Fragment != "" && (!isSum || err != nil || len(sum) != 64) {
		return Source{}, errors.New("what follows # must be sha256= and 64 hexadecimal digits")
	}
	u.Fragment = ""
	name := *u
	name.RawQuery, name.User = "", nil
	return Source{Name: name.String(), Remote: true, Open: func(ctx context.Context) (io.ReadCloser, error) {
		d := &download{ctx: ctx, address: u.String(), sum: strings.ToLower(sum), hash: sha256.New(), wait: resumeAfter}
		return d, d.connect()
	}}, nil
}

// download reads an address, and resumes where it broke off if the content is still the
// same.
type download struct {
	ctx     context.Context
	address string
	sum     string
	hash    hash.Hash
	body    io.ReadCloser
	at      int64
	// size is how long it is, negative when the server does not say.
	size int64
	// tag identifies what is being read; without one it cannot be resumed.
	tag    string
	failed int
	wait   time.Duration
}

var downloads = &http.Client{Transport: &http.Transport{
	Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: stalledAfter, DisableCompression: true,
}}

func (d *download) connect() error {
	req, err := http.NewRequestWithContext(d.ctx, http.MethodGet, d.address, nil)
	if err != nil {
		return errors.New("the address is not valid")
	}
	want := http.StatusOK
	if d.at > 0 {
		want = http.StatusPartialContent
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", d.at))
		req.Header.Set("If-Range", d.tag)
	}
	res, err := downloads.Do(req)
	if err != nil {
		if shown, ok := errors.AsType[*url.Error](err); ok { // its text has the address
			err = shown.Err
		}
		return err
	}
	if res.StatusCode != want || want == http.StatusPartialContent && !strings.HasPrefix(res.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", d.at)) {
		_ = res.Body.Close()
		if d.at > 0 && res.StatusCode < 500 {
			return fmt.Errorf("it broke off after %d bytes, and the server does not give the rest (%s): %w", d.at, res.Status, errGone)
		}
		return fmt.Errorf("the server answers %s", res.Status)
	}
	d.body = res.Body
	if d.at == 0 {
		d.size = res.ContentLength
		// A weak tag says nothing about bytes.
		if d.tag = res.Header.Get("ETag"); d.tag == "" || strings.HasPrefix(d.tag, "W/") {
			d.tag = res.Header.Get("Last-Modified")
		}
	}
	return nil
}

// errGone marks a download that trying again does not help.
var errGone = errors.New("what is there has changed")

func (d *download) Read(p []byte) (int, error) {
	n, err := d.body.Read(p)
	d.hash.Write(p[:n])
	d.at += int64(n)
	if n > 0 {
		d.failed = 0
	}
	switch ended := errors.Is(err, io.EOF); {
	case err == nil, ended && n > 0: // the next Read says it again
		return n, nil
	case ended && d.at >= d.size:
		return 0, d.checked()
	case ended: // the response to a range may end early, regularly
		err = io.ErrUnexpectedEOF
	}
	return n, d.resume(err)
}

func (d *download) checked() error {
	if got := hex.EncodeToString(d.hash.Sum(nil)); d.sum != "" && got != d.sum {
		return fmt.Errorf("its SHA-256 is %s, not %s", got, d.sum)
	}
	return io.EOF
}

// resume connects again after a failure; its error ends the download.
func (d *download) resume(cause error) error {
	_ = d.body.Close()
	for d.tag != "" && d.failed < maxResumes {
		select {
		case <-d.ctx.Done():
			return d.ctx.Err()
		case <-time.After(d.wait):
		}
		d.failed++
		err := d.connect()
		if err == nil {
			return nil
		}
		if cause = err; errors.Is(err, errGone) {
			break
		}
	}
	d.body = http.NoBody
	return fmt.Errorf("it broke off after %d bytes: %w", d.at, cause)
}

func (d *download) Close() error { return d.body.Close() }
