package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
)

// repositoryVersion is the tag's; a build of another commit, or with changes, is no release.
func repositoryVersion(ctx context.Context) (string, error) {
	changelog, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		return "", err
	}
	tag, err := exec.CommandContext(ctx, "git", "describe", "--tags", "--exact-match", "--match", "v[0-9]*.[0-9]*.[0-9]*", "--exclude", "*-*", "--dirty").Output()
	if named := strings.TrimSpace(string(tag)); err == nil && !strings.HasSuffix(named, "-dirty") {
		return announced(named, string(changelog))
	}
	commit, err := exec.CommandContext(ctx, "git", "describe", "--always", "--exclude", "*", "--abbrev=12", "--dirty=-changed").Output()
	if err != nil {
		return "", fmt.Errorf("git describe: %w: a release is built in a clone of the repository", err)
	}
	return "unreleased-" + strings.TrimSpace(string(commit)), nil
}

var newestHeading = regexp.MustCompile(`(?m)^## +v?(\S+?),?(?: .*)?$`)

// announced is the tag's version, which the changelog must announce.
func announced(tag, changelog string) (string, error) {
	heading := newestHeading.FindStringSubmatch(changelog)
	if heading == nil || heading[1] != tag[1:] {
		return "", fmt.Errorf("the tag is %s, and the newest heading of CHANGELOG.md is not %q: name the release there before it is tagged", tag, "## "+tag[1:])
	}
	return tag[1:], nil
}
