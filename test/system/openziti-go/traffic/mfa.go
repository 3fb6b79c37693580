package main

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/openziti/edge-api/rest_model"
	"github.com/openziti/sdk-golang/ziti"
)

const stepSeconds = 30

// The TOTP codes of one secret; each step of time gives one, because a controller takes none twice.
type codes struct {
	lock   sync.Mutex
	secret []byte
	last   int64
}

// Waits for a step whose code was not used (RFC 6238, SHA-1, six digits).
func (from *codes) next() string {
	from.lock.Lock()
	defer from.lock.Unlock()
	step := time.Now().Unix() / stepSeconds
	for ; step <= from.last; step = time.Now().Unix() / stepSeconds {
		time.Sleep(100 * time.Millisecond)
	}
	from.last = step
	mac := hmac.New(sha1.New, from.secret)
	_ = binary.Write(mac, binary.BigEndian, step)
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 15
	return fmt.Sprintf("%06d", (binary.BigEndian.Uint32(sum[at:])&0x7fffffff)%1_000_000)
}

// Enrolls a second factor, once, and gives a code whenever the SDK asks for one.
func (used *user) enrollMfa() error {
	if used.hasMfa {
		return nil
	}
	detail, err := used.client.EnrollZitiMfa()
	if err != nil {
		return err
	}
	provisioning, err := url.Parse(detail.ProvisioningURL)
	if err != nil {
		return err
	}
	encoding := base32.StdEncoding.WithPadding(base32.NoPadding)
	secret, err := encoding.DecodeString(provisioning.Query().Get("secret"))
	if err != nil {
		return err
	}
	given := &codes{secret: secret}
	used.client.Events().AddMfaTotpCodeListener(
		func(_ ziti.Context, _ *rest_model.AuthQueryDetail, respond ziti.MfaCodeResponse) {
			go func() { _ = respond(given.next()) }()
		},
	)
	if err := used.client.VerifyZitiMfa(given.next()); err != nil {
		return err
	}
	used.hasMfa = true
	return nil
}
