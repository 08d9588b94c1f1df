// Command gojudge asks Go's crypto/x509 about certificates. It reads a JSON list of questions on
// stdin and writes the list of answers on stdout, in the same order.
package main

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"log"
	"os"
	"time"
)

type question struct {
	Leaf          string   `json:"leaf"`          // PEM
	Intermediates []string `json:"intermediates"` // PEM
	Roots         []string `json:"roots"`         // PEM
	DNSName       string   `json:"dnsName"`       // empty: not asked
	KeyUsages     []string `json:"keyUsages"`     // of usages
	At            int64    `json:"at"`            // Unix time
}

type answer struct {
	Verified bool   `json:"verified"`
	Error    string `json:"error"`
	Facts    *facts `json:"facts"` // null where Go cannot parse the leaf
}

type facts struct {
	SerialPositive bool     `json:"serialPositive"`
	SerialOctets   int      `json:"serialOctets"`
	SerialMinimal  bool     `json:"serialMinimal"`
	NotBefore      int64    `json:"notBefore"`
	NotAfter       int64    `json:"notAfter"`
	Subject        string   `json:"subject"`
	DNSNames       []string `json:"dnsNames"`
	URIs           []string `json:"uris"`
	IsCA           bool     `json:"isCa"`
	SubjectKeyID   []byte   `json:"subjectKeyId"`
	AuthorityKeyID []byte   `json:"authorityKeyId"`
}

var usages = map[string]x509.ExtKeyUsage{
	"any":        x509.ExtKeyUsageAny,
	"serverAuth": x509.ExtKeyUsageServerAuth,
	"clientAuth": x509.ExtKeyUsageClientAuth,
}

func main() {
	var questions []question
	decoder := json.NewDecoder(os.Stdin)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&questions); err != nil {
		log.Fatal(err)
	}
	answers := make([]answer, 0, len(questions))
	for _, q := range questions {
		answers = append(answers, q.answer())
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		log.Fatal(err)
	}
}

func (q question) answer() answer {
	leaf, err := parse(q.Leaf)
	if err != nil {
		return answer{Error: err.Error()}
	}
	known, err := read(leaf)
	if err != nil {
		return answer{Error: err.Error()}
	}
	if err := q.verify(leaf); err != nil {
		return answer{Error: err.Error(), Facts: known}
	}
	return answer{Verified: true, Facts: known}
}

func (q question) verify(leaf *x509.Certificate) error {
	roots, err := pool(q.Roots)
	if err != nil {
		return err
	}
	intermediates, err := pool(q.Intermediates)
	if err != nil {
		return err
	}
	options := x509.VerifyOptions{
		DNSName:       q.DNSName,
		Intermediates: intermediates,
		Roots:         roots,
		CurrentTime:   time.Unix(q.At, 0),
	}
	for _, name := range q.KeyUsages {
		usage, known := usages[name]
		if !known {
			return fmt.Errorf("unknown usage %q", name)
		}
		options.KeyUsages = append(options.KeyUsages, usage)
	}
	_, err = leaf.Verify(options)
	return err
}

func pool(texts []string) (*x509.CertPool, error) {
	certificates := x509.NewCertPool()
	for _, text := range texts {
		certificate, err := parse(text)
		if err != nil {
			return nil, err
		}
		certificates.AddCert(certificate)
	}
	return certificates, nil
}

func parse(text string) (*x509.Certificate, error) {
	block, rest := pem.Decode([]byte(text))
	if block == nil || block.Type != "CERTIFICATE" || len(bytes.TrimSpace(rest)) > 0 {
		return nil, errors.New("not one PEM certificate")
	}
	return x509.ParseCertificate(block.Bytes)
}

func read(c *x509.Certificate) (*facts, error) {
	serial, err := serialOctets(c)
	if err != nil {
		return nil, err
	}
	known := &facts{
		SerialPositive: c.SerialNumber.Sign() > 0,
		SerialOctets:   len(serial),
		SerialMinimal:  len(serial) == 1 || serial[0] != 0 || serial[1] >= 0x80,
		NotBefore:      c.NotBefore.Unix(),
		NotAfter:       c.NotAfter.Unix(),
		Subject:        c.Subject.String(),
		DNSNames:       c.DNSNames,
		IsCA:           c.IsCA,
		SubjectKeyID:   c.SubjectKeyId,
		AuthorityKeyID: c.AuthorityKeyId,
	}
	for _, uri := range c.URIs {
		known.URIs = append(known.URIs, uri.String())
	}
	return known, nil
}

// serialOctets returns the serial's INTEGER content as it stands in the DER.
func serialOctets(c *x509.Certificate) ([]byte, error) {
	var start struct { // encoding/asn1 leaves the other elements of the SEQUENCE unread
		Version int `asn1:"explicit,tag:0"`
		Serial  asn1.RawValue
	}
	if _, err := asn1.Unmarshal(c.RawTBSCertificate, &start); err != nil {
		return nil, err
	}
	return start.Serial.Bytes, nil
}
