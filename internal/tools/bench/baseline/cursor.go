package baseline

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"time"

	"github.com/google/uuid"
)

const (
	plainSize  = 8 + 16
	cursorSize = plainSize + sha256.Size
)

var errCursor = errors.New("the cursor was not issued here")

// Cursor is the text that a page after this row is asked for with.
func Cursor(secret []byte, client uuid.UUID, createdAt time.Time, id uuid.UUID) string {
	b := binary.BigEndian.AppendUint64(nil, uint64(createdAt.UnixMicro()))
	b = append(b, id[:]...)
	return base64.RawURLEncoding.EncodeToString(append(b, sign(secret, client, b)...))
}

func parseCursor(secret []byte, client uuid.UUID, text string) (time.Time, uuid.UUID, error) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) != cursorSize || !hmac.Equal(b[plainSize:], sign(secret, client, b[:plainSize])) {
		return time.Time{}, uuid.Nil, errCursor
	}
	return time.UnixMicro(int64(binary.BigEndian.Uint64(b))).UTC(), uuid.UUID(b[8:plainSize]), nil
}

func sign(secret []byte, client uuid.UUID, b []byte) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write(client[:])
	h.Write(b)
	return h.Sum(nil)
}
