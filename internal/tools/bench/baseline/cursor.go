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

// secret signs cursors; the corpus is generated.
const secret = "the baseline server's cursors contain nothing that is secret"

var errCursor = errors.New("the cursor was not issued here")

// Cursor is the text that a page after this row is asked for with.
func Cursor(client uuid.UUID, createdAt time.Time, id uuid.UUID) string {
	b := binary.BigEndian.AppendUint64(nil, uint64(createdAt.UnixMicro()))
	b = append(b, id[:]...)
	return base64.RawURLEncoding.EncodeToString(append(b, sign(client, b)...))
}

func parseCursor(client uuid.UUID, text string) (time.Time, uuid.UUID, error) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) != cursorSize || !hmac.Equal(b[plainSize:], sign(client, b[:plainSize])) {
		return time.Time{}, uuid.Nil, errCursor
	}
	return time.UnixMicro(int64(binary.BigEndian.Uint64(b))).UTC(), uuid.UUID(b[8:plainSize]), nil
}

func sign(client uuid.UUID, b []byte) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write(client[:])
	h.Write(b)
	return h.Sum(nil)
}
