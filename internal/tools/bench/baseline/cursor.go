package baseline

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"

	"github.com/google/uuid"
)

// secret signs cursors; the corpus is generated.
const secret = "the baseline server's cursors contain nothing that is secret"

// Cursor is the text that a page after this row is asked for with.
func Cursor(client uuid.UUID, createdAt time.Time, id uuid.UUID) string {
	b := append(binary.BigEndian.AppendUint64(nil, uint64(createdAt.UnixMicro())), id[:]...)
	h := hmac.New(sha256.New, []byte(secret))
	h.Write(client[:])
	h.Write(b)
	return base64.RawURLEncoding.EncodeToString(h.Sum(b))
}

func parseCursor(client uuid.UUID, text string) (at time.Time, id uuid.UUID, issued bool) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) < 8+len(id) {
		return at, id, false
	}
	at, id = time.UnixMicro(int64(binary.BigEndian.Uint64(b))).UTC(), uuid.UUID(b[8:8+len(id)])
	return at, id, hmac.Equal([]byte(text), []byte(Cursor(client, at, id)))
}
