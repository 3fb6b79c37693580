#!/bin/sh
# Makes the files of this folder with OpenSSL 3.0, which writes what node-forge cannot: EC keys,
# RC2, and PKCS#7 with EC certificates. They were committed, so that tests do not need openssl.
# The password is "secret", but for umlauts.p12, where it is "pässwört" in UTF-8.
set -eu
cd "$(dirname "$0")"
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

# NAME ISSUER EXTENSION…: a P-256 key with a certificate that ends in a hundred years.
certify() {
  name=$1 issuer=$2
  shift 2
  printf '%s\n' "$@" > "$made/extensions"
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
    -keyout "$made/$name.key" -out "$made/$name.csr" -subj "/O=Example/CN=$name"
  if [ "$issuer" = self ]; then
    signer="-signkey $made/$name.key"
  else
    signer="-CA $made/$issuer.pem -CAkey $made/$issuer.key"
  fi
  # shellcheck disable=SC2086
  openssl x509 -req -in "$made/$name.csr" $signer -days 36500 -extfile "$made/extensions" \
    -out "$made/$name.pem"
}

certify root self 'basicConstraints=critical,CA:TRUE' 'keyUsage=critical,keyCertSign'
certify intermediate root 'basicConstraints=critical,CA:TRUE,pathlen:0' 'keyUsage=critical,keyCertSign'
certify edge.example.com intermediate 'subjectAltName=DNS:edge.example.com,IP:192.0.2.7' \
  'extendedKeyUsage=serverAuth'
leaf=$made/edge.example.com
cat "$made/root.pem" "$made/intermediate.pem" > "$made/above.pem"

# NAME PASSWORD FLAG…
# Few rounds, so that tests can open thousands of damaged files.
export_pfx() {
  name=$1 password=$2
  shift 2
  openssl pkcs12 -export -iter 16 "$@" -inkey "$leaf.key" -in "$leaf.pem" -certfile "$made/above.pem" \
    -passout "pass:$password" -out "$name"
}

export_pfx modern.p12 secret # PBES2 with AES-256-CBC, and SHA-256
export_pfx legacy.p12 secret -legacy # RC2-40 for certificates, 3DES for the key, and SHA-1
export_pfx empty.p12 ''
export_pfx umlauts.p12 pässwört
openssl crl2pkcs7 -nocrl -certfile "$made/above.pem" -certfile "$leaf.pem" -outform DER -out chain.p7b
openssl crl2pkcs7 -nocrl -certfile "$made/above.pem" -certfile "$leaf.pem" -out chain.pem.p7b
openssl pkcs8 -topk8 -in "$leaf.key" -passout pass:secret -out encrypted.key
# The root above the leaf, and the key last.
cat "$made/above.pem" "$leaf.pem" "$leaf.key" > all.pem
