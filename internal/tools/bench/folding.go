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

// measureFolding is goal 20: as many bytes folded in texts of 10 KB, 100 KB, 1 MB and
// 10 MB, by turns (a tenth of each in the tiny corpus). Ten times as long a text takes ten times as long where folding is
// linear. The best of all turns counts: what else the machine does only slows one down.
func (s *session) measureFolding(ctx context.Context) error {
	sizes := [...]int{s.scale.folded / 1000, s.scale.folded / 100, s.scale.folded / 10, s.scale.folded}
	return (&imports{s: s}).inDatabase(ctx, func(conn *pgx.Conn) error {
		var worst float64
		for name, piece := range alphabets() {
			total, turns := sizes[3], s.rounds
			took, err := fold(ctx, conn, piece, sizes[3], 1)
			if err != nil {
				return err
			}
			if took < 50*time.Nanosecond*time.Duration(sizes[3]) {
				// Of one text folded this fast, the memory's first use would be measured.
				total, turns = 10*total, 2*turns
			}
			var best [len(sizes)]float64
			for range turns {
				for i, size := range sizes {
					took, err := fold(ctx, conn, piece, size, total/size)
					if err != nil {
						return err
					}
					if best[i] == 0 || took.Seconds() < best[i] {
						best[i] = took.Seconds()
					}
				}
			}
			line := make([]string, 0, len(sizes))
			for i := 1; i < len(sizes); i++ {
				ratio := 10 * best[i] / best[i-1]
				worst = max(worst, ratio)
				line = append(line, fmt.Sprintf("%.1f", ratio))
			}
			s.logf("folding %s, tenfold from %d to %d bytes: %s", name, sizes[0], sizes[3], strings.Join(line, ", "))
		}
		s.report.set("20", ratio{worst, worst, worst})
		return nil
	})
}

// fold is the time that folding so many texts of a size takes.
func fold(ctx context.Context, conn *pgx.Conn, piece string, size, texts int) (time.Duration, error) {
	began := time.Now()
	// The number makes each a text of its own.
	_, err := conn.Exec(ctx, "SELECT sum(length(fold_case(repeat($1::text, $2::integer) || n))) FROM generate_series(1, $3::integer) AS n",
		piece, size/len(piece), texts)
	return time.Since(began), err
}
