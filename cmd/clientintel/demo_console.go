package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/app"
	"github.com/clientintel/clientintel/internal/config"
)

// startDemoConsole serves the console beside the demo's API until ctx is done, and returns a
// link that opens its page signed in for an hour as a brand's administrator. What ends it
// goes to ended.
func startDemoConsole(
	ctx context.Context, d *app.Database, settings config.Console, apiURL string, brand uuid.UUID, log *slog.Logger, ended chan<- error,
) (string, error) {
	secret := []byte(rand.Text() + rand.Text())
	settings.JWKS, settings.Secret = "", string(secret)
	listening, failed := make(chan string, 1), make(chan error, 1)
	go func() {
		err := d.ServeConsole(ctx, settings, apiURL, log, func(address string) { listening <- address })
		failed <- err
		ended <- err
	}()
	select {
	case err := <-failed:
		return "", err
	case address := <-listening:
		token, err := signDemoToken(secret, brand)
		return "http://" + address + "/#token=" + token, err
	}
}

func signDemoToken(secret []byte, brand uuid.UUID) (string, error) {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: secret}, nil)
	if err != nil {
		return "", fmt.Errorf("signing the demo's token: %w", err)
	}
	return jwt.Signed(signer).Claims(map[string]any{
		"aud": "clientintel", "sub": "demo administrator", "client_id": brand.String(), "exp": time.Now().Add(time.Hour).Unix(),
	}).Serialize()
}
