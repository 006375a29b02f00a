package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
)

// repository is what decides the version.
type repository struct {
	changelog string
	commit    string
	tags      []string // of that commit
	dirty     bool     // tracked files differ from it
}

func repositoryVersion(ctx context.Context) (string, error) {
	changelog, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		return "", err
	}
	r := repository{changelog: string(changelog)}
	if r.commit, err = git(ctx, "rev-parse", "HEAD"); err != nil {
		return "", err
	}
	tags, err := git(ctx, "tag", "--points-at", "HEAD")
	if err != nil {
		return "", err
	}
	r.tags = strings.Fields(tags)
	changed, err := git(ctx, "status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return "", err
	}
	r.dirty = changed != ""
	return r.version()
}

var (
	newestHeading = regexp.MustCompile(`(?m)^## +v?(\S+?),?(?: .*)?$`)
	releaseTag    = regexp.MustCompile(`^v\d+\.\d+\.\d+$`)
)

// version is the tag's, which the changelog must announce; without a tag, or
// with changes, a build is of its commit and no release.
func (r repository) version() (string, error) {
	for _, tag := range r.tags {
		if !releaseTag.MatchString(tag) || r.dirty {
			continue
		}
		heading := newestHeading.FindStringSubmatch(r.changelog)
		if heading == nil || heading[1] != tag[1:] {
			return "", fmt.Errorf("the tag is %s, and the newest heading of CHANGELOG.md is not %q: name the release there before it is tagged", tag, "## "+tag[1:])
		}
		return tag[1:], nil
	}
	version := "unreleased-" + strings.TrimSpace(r.commit)[:12]
	if r.dirty {
		version += "-changed"
	}
	return version, nil
}

func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: a release is built in a clone of the repository", args[0], err)
	}
	return string(out), nil
}
