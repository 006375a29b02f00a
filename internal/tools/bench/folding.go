package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// alphabets are pieces of text whose capitals folding has to find, and what becomes of
// one of them when its bytes are taken for Latin-1, three times over.
func alphabets() map[string]string {
	mojibake := "Съешь Ещё Этих Мягких Булок. "
	for range 3 {
		wrong := make([]rune, 0, len(mojibake))
		for _, b := range []byte(mojibake) {
			wrong = append(wrong, rune(b))
		}
		mojibake = string(wrong)
	}
	return map[string]string{
		"Latin": "Lorem Ipsum dolor ", "Latin with accents": "ÉTÉ Žluťoučký Kůň ", "Greek": "Ο ΔΡΌΜΟΣ είναι Μακρύς ",
		"Cyrillic": "Я lorem ЁЖИК ", "Armenian": "ԱՐԱՐԱՏ և Վան ", "Chinese": "東京 大阪 Ａ ", "mojibake": mojibake,
	}
}

// measureFolding is goal 20: the same 10 MB folded in texts of 10 KB, 100 KB, 1 MB and
// 10 MB. Ten times as long a text takes ten times as long where folding is linear.
func (s *session) measureFolding(ctx context.Context) error {
	const total = 10_000_000
	return (&imports{s: s}).inDatabase(ctx, func(conn *pgx.Conn) error {
		var worst float64
		for name, piece := range alphabets() {
			var before time.Duration
			line := make([]string, 0, 4)
			for size := 10_000; size <= total; size *= 10 {
				took, err := fold(ctx, conn, piece, size, total/size)
				if err != nil {
					return err
				}
				if before > 0 {
					ratio := 10 * took.Seconds() / before.Seconds()
					worst = max(worst, ratio)
					line = append(line, fmt.Sprintf("%.1f", ratio))
				}
				before = took
			}
			s.logf("folding %s, tenfold from 10 KB to 10 MB: %s", name, strings.Join(line, ", "))
		}
		s.report.set("20", ratio{worst, worst, worst})
		return nil
	})
}

// fold is the time that folding so many texts of a size takes, the best of three.
func fold(ctx context.Context, conn *pgx.Conn, piece string, size, texts int) (time.Duration, error) {
	best := time.Duration(1<<63 - 1)
	for range 3 {
		began := time.Now()
		// The number makes each a text of its own.
		_, err := conn.Exec(ctx, "SELECT sum(length(fold_case(repeat($1::text, $2::integer) || n))) FROM generate_series(1, $3::integer) AS n",
			piece, size/len(piece), texts)
		if err != nil {
			return 0, err
		}
		best = min(best, time.Since(began))
	}
	return best, nil
}
