// Verifies the log of a running registry by Go's own packages for transparency logs: signatures, tiles, inclusion of every entry, and
// consistency with every smaller tree. Usage: verify URL VKEY. Prints the size.
package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

var url string

func get(path string) []byte {
	answer, err := http.Get(url + "/log/" + path)
	check(err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	check(err)
	if answer.StatusCode != 200 {
		fail("%s: %s", path, answer.Status)
	}
	return body
}

// Go writes a tile as tile/8/0/001.p/5, C2SP without the height.
type tiles struct{}

func (tiles) Height() int { return 8 }
func (tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var data [][]byte
	for _, tile := range wanted {
		path := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
		data = append(data, get(path))
	}
	return data, nil
}
func (tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func main() {
	url = os.Args[1]
	verifier, err := note.NewVerifier(os.Args[2])
	check(err)
	opened, err := note.Open(get("checkpoint"), note.VerifierList(verifier))
	check(err)
	lines := strings.Split(opened.Text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	check(err)
	root, err := tlog.ParseHash(lines[2])
	check(err)
	reader := tlog.TileHashReader(tlog.Tree{N: size, Hash: root}, tiles{})

	for first := int64(0); first < size; first += 256 {
		path := strings.Replace((tlog.Tile{H: 8, L: 0, N: first / 256, W: int(min(256, size-first))}).Path(), "tile/8/0/", "tile/entries/", 1)
		bundle := bytes.NewBuffer(get(path))
		for index := first; bundle.Len() > 0; index++ {
			length := bundle.Next(2)
			leaf := tlog.RecordHash(bundle.Next(int(length[0])<<8 | int(length[1])))
			proof, err := tlog.ProveRecord(size, index, reader)
			check(err)
			check(tlog.CheckRecord(proof, size, root, index, leaf))
			other := leaf
			other[0] ^= 1
			if tlog.CheckRecord(proof, size, root, index, other) == nil {
				fail("another entry was accepted at %d", index)
			}
		}
	}
	for before := int64(1); before < size; before++ {
		old, err := tlog.TreeHash(before, reader)
		check(err)
		proof, err := tlog.ProveTree(size, before, reader)
		check(err)
		check(tlog.CheckTree(proof, size, root, before, old))
	}
	fmt.Println(size)
}

func min(a, b int64) int64 {
	if a < b {
		return a
	}
	return b
}

func check(err error) {
	if err != nil {
		fail("%v", err)
	}
}

func fail(format string, values ...interface{}) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
	os.Exit(1)
}
