// Builds the tree of a batch as a plain Go program would, with every proof; prints its root and the
// CPU seconds that it took. tree N
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"sort"
	"strconv"
	"syscall"
)

func lp(parts ...[]byte) []byte {
	var out []byte
	for _, part := range parts {
		out = binary.BigEndian.AppendUint32(out, uint32(len(part)))
		out = append(out, part...)
	}
	return out
}

type entry struct {
	subject, kind string
	payload       [32]byte
}

func entries(count int) []entry {
	list := make([]entry, count)
	for i := range list {
		number := strconv.Itoa(10000000 + i)
		payload := sha256.Sum256([]byte("payload" + number))
		list[i] = entry{"node_01jd8x3m5q9v7w2z4c" + number, "firmware.update", payload}
	}
	return list
}

func leaf(e entry) [32]byte {
	fields := lp([]byte("batch_01jd8x3m5q9v7w2z4c6e8g0h1k"), []byte(e.subject), []byte(e.kind),
		e.payload[:])
	return sha256.Sum256(append([]byte{0}, fields...))
}

func levels(leaves [][32]byte) [][][32]byte {
	all := [][][32]byte{leaves}
	for level := leaves; len(level) > 1; {
		above := make([][32]byte, 0, (len(level)+1)/2)
		for i := 0; i+1 < len(level); i += 2 {
			node := append([]byte{1}, level[i][:]...)
			above = append(above, sha256.Sum256(append(node, level[i+1][:]...)))
		}
		if len(level)%2 == 1 {
			above = append(above, level[len(level)-1])
		}
		all = append(all, above)
		level = above
	}
	return all
}

func proof(all [][][32]byte, index int) [][32]byte {
	var siblings [][32]byte
	for _, level := range all {
		if sibling := index ^ 1; sibling < len(level) {
			siblings = append(siblings, level[sibling])
		}
		index /= 2
	}
	return siblings
}

func cpu() float64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(usage.Utime) + seconds(usage.Stime)
}

func main() {
	count, _ := strconv.Atoi(os.Args[1])
	list := entries(count)
	start := cpu()
	leaves := make([][32]byte, count)
	for i, e := range list {
		leaves[i] = leaf(e)
	}
	sort.Slice(leaves, func(a, b int) bool { return bytes.Compare(leaves[a][:], leaves[b][:]) < 0 })
	all := levels(leaves)
	total := 0
	for i := range leaves {
		total += len(proof(all, i))
	}
	if total == 0 && count > 1 {
		os.Exit(1)
	}
	fmt.Printf("%x %f\n", all[len(all)-1][0], cpu()-start)
}
