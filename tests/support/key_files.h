// Key files as other programs write them; the command stands above each. Encrypted ones are of
// kPkcs8 unless it says otherwise, and open with the passphrase "correct".
#pragma once

#include <string_view>

namespace bcpki::test::key_files {

// openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256
inline constexpr std::string_view kPkcs8 = R"(-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg7xY54xN0Wl2zuOya
ouOUKlr15CyMuXQCVhOQDx+MeG6hRANCAATuSEsATsHIh7NFoYB97actg9AqHT9T
A1KLkeRXqAEwdyEcG+7pnIUhTpYoqqZAP6Tqe6T93QwR7AcP/Z4Bh6Zs
-----END PRIVATE KEY-----
)";

// openssl pkey -pubout
inline constexpr std::string_view kPublic = R"(-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE7khLAE7ByIezRaGAfe2nLYPQKh0/
UwNSi5HkV6gBMHchHBvu6ZyFIU6WKKqmQD+k6nuk/d0MEewHD/2eAYembA==
-----END PUBLIC KEY-----
)";

// openssl ecparam -name prime256v1 -genkey
inline constexpr std::string_view kSec1 = R"(-----BEGIN EC PARAMETERS-----
BggqhkjOPQMBBw==
-----END EC PARAMETERS-----
-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIAhDIXcCH4jQdoFz85eAVRnizjPDFlimsaQYzNK5ky3foAoGCCqGSM49
AwEHoUQDQgAEvlaKfzogdmiMe9SgwsmBeXk1JuEuBMhrqdwy50lckUyXiOoVSaVD
NRXE87GhVzyDTi2NtETc7eyMQKQrAk0F4Q==
-----END EC PRIVATE KEY-----
)";

// openssl pkey -pubout
inline constexpr std::string_view kSec1Public = R"(-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEvlaKfzogdmiMe9SgwsmBeXk1JuEu
BMhrqdwy50lckUyXiOoVSaVDNRXE87GhVzyDTi2NtETc7eyMQKQrAk0F4Q==
-----END PUBLIC KEY-----
)";

// openssl ec -no_public
inline constexpr std::string_view kSec1NoPublic = R"(-----BEGIN EC PRIVATE KEY-----
MDECAQEEIO8WOeMTdFpds7jsmqLjlCpa9eQsjLl0AlYTkA8fjHhuoAoGCCqGSM49
AwEH
-----END EC PRIVATE KEY-----
)";

// openssl genpkey -algorithm ED25519
inline constexpr std::string_view kEd25519 = R"(-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIIKC7ZzfaV5KZ9gNbM00dHFdJ4u09pVQGIEJgX2DYHLq
-----END PRIVATE KEY-----
)";

// openssl pkey -pubout
inline constexpr std::string_view kEd25519Public = R"(-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAp0W52vuykT+GEWT7hi9YVEucP2ir5gHgA1kCJs6AUIs=
-----END PUBLIC KEY-----
)";

// openssl pkcs8 -topk8 -v2 aes256 -v2prf hmacWithSHA256
inline constexpr std::string_view kSha256 = R"(-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiuqIq/v7qVsQICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEHQpnMyQFxxMuJwCdWgR0dQEgZBi
EsYzoRTrJNW49zgq4l+8jlHPqOWIZWc5ErdYo6fRA8Y3EkePLnAx1UO2EtcMO0iA
3+UmdYokRAfTYm6FVQ+uptb9HF3ph+mR1kJ1vYi5MJKzDBBDHhoc56xEuJsZqbkS
uepOX2f0gonwxGmExz4hpFVsSPN6XRo2G+T/Y67ciLpVLe6Iby47keroTbbTeuk=
-----END ENCRYPTED PRIVATE KEY-----
)";

// openssl pkcs8 -topk8 -v2 aes192 -v2prf hmacWithSHA384
inline constexpr std::string_view kSha384 = R"(-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiqK4lXOBUl5gICCAAw
DAYIKoZIhvcNAgoFADAdBglghkgBZQMEARYEEJjKZqYLLmxXVnWb2Th9ntAEgZAr
qw6Semx7KnZQS+9Sfdz6jDjzgA8yGq+3+oEXeoX0fOWvgvwg+PPnBlE7qW992ZAt
094ebNM0gNo68zkqAy9rnkgD+qdYmLfGez4rAVdyOgHjomOb4znDeInU9DGQuGJo
lA1CEvTnf+uJ6MttcobUFNdZHLNokKSCje1OPVqbfU6Ffuprb1Xxc77gXXZwNwU=
-----END ENCRYPTED PRIVATE KEY-----
)";

// openssl pkcs8 -topk8 -v2 aes256 -v2prf hmacWithSHA512
inline constexpr std::string_view kSha512 = R"(-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAihyrPcOj7ZFwICCAAw
DAYIKoZIhvcNAgsFADAdBglghkgBZQMEASoEEP5HuamBx9CZ6vh0+nmncz4EgZDb
WW6Kften7o6ROJEmahl2566E/Ow0m0bFbOCofIxWSb4H4jan4wasymyKpBN8jrPa
VCnTlFa9eCqJfW3zN1Y/+15s30eg68qRpg1j7A3qTCwg1uZ5/GgnnIT0LpZubozu
ImID3VVqnnDnHegxo9O6dL2cCtR7ZpoN1m81qiwhm6QdIoK7tkl3F2d+qDxyxEY=
-----END ENCRYPTED PRIVATE KEY-----
)";

// openssl pkcs8 -topk8 -v2 aes128
inline constexpr std::string_view kAes128 = R"(-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiCx93TtBTI0gICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEGCCg2v5g7rkUcTFEExdIpUEgZAw
QuD8ZLOlXkRckJ3q4QjyeUqbZe6wmFsP7hcGH/sc0PZHknfdlFgxQQR8IOjBSnFf
bkOY8U22whQdkp5qlZtprzndGrzjUX+yeYkvxgRG5IfXy17LoCOSvplxjR5q7cee
zaoa1+erbzPthYfIBrrxnxu5CnodNJfkSjCzu4ghcSEDohqAEA56Tjm+56MqLHc=
-----END ENCRYPTED PRIVATE KEY-----
)";

// openssl pkcs8 -topk8 -scrypt
inline constexpr std::string_view kScrypt = R"(-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHkME8GCSqGSIb3DQEFDTBCMCEGCSsGAQQB2kcECzAUBAjnNjGEyze/fAICQAAC
AQgCAQEwHQYJYIZIAWUDBAEqBBAE7Yb5fRrRJPQizcuz2TP0BIGQYlfiihWIxWTT
FUuis7BnhOYisATAEZRN33aqN++uX0CHMoY7FrCXiHh1qgytamOpwhkkgyRvFmR1
0SZ3g+bS7jpsAOMmqVJFAH6LLMCy/8k52Z43OsIZHXHg89y9y0+lG2uptWmkg0qu
xQXehyc/m3GnuvFeplkPWw88gIRqHz9Gq2PKxqL9wHqQWrnK5xVI
-----END ENCRYPTED PRIVATE KEY-----
)";

// openssl pkcs8 -topk8 -v2 aes256, of kEd25519
inline constexpr std::string_view kEncryptedEd25519 = R"(-----BEGIN ENCRYPTED PRIVATE KEY-----
MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiPP3cyL97P0gICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEB5xX1K48zAjAybp4JiPHfAEQAFB
bt9TvqlUW8tma/JUxqox3X+ePvSRQzUGZIP4FmLTqSQ6U5KMY3XOwxLVzGvRjuXg
7FfXfdSFNRntYXD7jP4=
-----END ENCRYPTED PRIVATE KEY-----
)";

// openssl pkcs8 -topk8 -v2 aes256 -iter 1000
inline constexpr std::string_view kRounds1000 = R"(-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgnyZ2MDmJ6fAICA+gw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEECNXMx4/0Wbi1pX3Tdd9VqsEgZAU
WT15XxyLgGQiDZTHC5M2FL64eg+jrGmo+t1p1UOGn9rDIS01BNJtMsop2dIsSO/y
KvH1miAj0Nk8LZkWHhwFBnVgmcxL7Rk6b1LkH2JffQFZVsz3HxlRqjbvhcDfLAly
DK6+4FldGXrlq2/W63FwQ6JSnHzcLwr8VWsywGGjkMrrDpZMnrHihJtTVO/y0h8=
-----END ENCRYPTED PRIVATE KEY-----
)";

// openssl pkcs8 -topk8 -v2 aes256 -iter 999
inline constexpr std::string_view kRounds999 = R"(-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgfAPxY0OMlSgICA+cw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEAxEeTm1aPcfkRt6H3cM7VwEgZBZ
WubTKfPGarvnShPCZoDNmpFyDi3gpdGTrh52fujiduuNaPF7iZdRq00veNKoOri6
lZeey4My+gMrUs5ebe1wQf+WujiebW5ho+0n7uSB+JhsdXXmTW7sw9EKon5ZdZuy
1DpVK6FimRW+oFmdDme3qRhS9PR1QSDQjDmbRB5v+ElBT9i0c02JrXwEYw6XW0s=
-----END ENCRYPTED PRIVATE KEY-----
)";

// openssl pkcs8 -topk8 -v2 aes256 -iter 10000001
inline constexpr std::string_view kRounds10000001 = R"(-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHuMFkGCSqGSIb3DQEFDTBMMCsGCSqGSIb3DQEFDDAeBAieFWb9ytcTBwIEAJiW
gTAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQpdKcj8do/bDvOCC/CgUJswSB
kO0oJB8gG8T41Fn+tN5twVMmBcHdvIMpxqj8Qq0Hef0xAjuI4ZUtP3z3Lk1SUpRH
phrb7+VMwUsvA2r/TGENafVoYTfAGHHnquFLJ5dBOR4uUEY7YkSpgAFlnKZBwrNo
oUo4jzhgT3Vb5v+78rTgw+qgbdHH8VsfzRasXjOaMIttGg5SFVhx0moqlepKJXXH
+Q==
-----END ENCRYPTED PRIVATE KEY-----
)";

// openssl pkcs8 -topk8 -v2 aes256 -v2prf hmacWithSHA1
inline constexpr std::string_view kSha1 = R"(-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHeMEkGCSqGSIb3DQEFDTA8MBsGCSqGSIb3DQEFDDAOBAiiTcrCVOi2kwICCAAw
HQYJYIZIAWUDBAEqBBD1Gp+3kWw54c1FnzMq6oFvBIGQ0oNB39DbQj1vGo6tvGqB
RrE+YfVNbJrsrbalY6W0dCGzMNJZsstvn2/B+DMIYYACCBJmaaRQBYWrhPEBF+75
d/rqzLOUVqscgIBrD7qfOuvUwS+6DLik+ZGHzczjTucF7U0yLrmRn6dpWMXItXAc
4vXLRtMNQcnE6LINKSJdUI8Az4Ujj593EfG7CvvWyGDt
-----END ENCRYPTED PRIVATE KEY-----
)";

// openssl pkcs8 -topk8 -v2 des3
inline constexpr std::string_view kDes3 = R"(-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHjME4GCSqGSIb3DQEFDTBBMCkGCSqGSIb3DQEFDDAcBAgCMYscz9CsHgICCAAw
DAYIKoZIhvcNAgkFADAUBggqhkiG9w0DBwQI3R+KpQO2rU0EgZD4a9Hg6keXN2lP
koDTWTCsuakf6UpLbL9KhwfVTt8UHFzMx6ma0Gbh2aANWtEyEmwHdBRCssMlHFxF
EwREhZGEyrHvbEFU3YtoABUG4N2RO0roX+eIeS7xeJlZpPgnxkdYCguVRvGdQRFo
u7pt/wwFC2mDx8scmzFjWM9oWju9bmbiYQqUbFPaXtSYll6yi0k=
-----END ENCRYPTED PRIVATE KEY-----
)";

// openssl pkcs8 -topk8 -v1 PBE-SHA1-3DES
inline constexpr std::string_view kPkcs12Des3 = R"(-----BEGIN ENCRYPTED PRIVATE KEY-----
MIGxMBwGCiqGSIb3DQEMAQMwDgQIRG03hnLo3l4CAggABIGQLBYIoZtvTxFXHVvk
KdD6wyC95WAh5jo/rw9YD+/VWF+JYvauE3jneK53802jDbHTKdvn+JvuNw/0+ZN3
f2A9GmAk/RB+zg2vfCIZVkaIo9s+VKA7cCZNwyZdcFCI+tY1ZxebC14QfIT43JGb
y0IERDN0FwgUtgfYJUMuUBaeubd+WVY24a2OjgphLOHSKYqq
-----END ENCRYPTED PRIVATE KEY-----
)";

// openssl pkcs8 -topk8 -v2 aria-256-cbc
inline constexpr std::string_view kAria = R"(-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAh6ql2V0eJ/cQICCAAw
DAYIKoZIhvcNAgkFADAdBgkqgxqMmm4BAQwEEBD5/EBBZdDMvPp66IsvEOMEgZBl
mOH04sHqEZiOuKN4xEQjKQP/+VXzH+dTdq+TXhKhGHZE8I1AiVW7wcpF28yO6gdA
QKB2rCPJn9YVznYUZKP7LnNgjuLRzR3weq0hgJ1EBsFhsq7E2v24U8WqHlqOHkcg
m6lBhdNkvrClG4BXcD9QPSv9Su34KsFu6XLb6nvcN611DVG5LgP2lYAtI6mm+9M=
-----END ENCRYPTED PRIVATE KEY-----
)";

// openssl ec -aes256
inline constexpr std::string_view kTraditional = R"(-----BEGIN EC PRIVATE KEY-----
Proc-Type: 4,ENCRYPTED
DEK-Info: AES-256-CBC,CA9BF585149CEA4A10EB567893B7B2BB

MUcuP38u6jtCLMsKuSQ4+8Qsn0RTXBDyNr8SSzWmo6E/ng9qZj7gX7T2CHGW9lKl
yJsFeUtEFgz9N27moBigAZ4bMJgo0vgjLlYDl+D1fYZAPslqm20Ue6kSC9/7WSaD
U+gK2bBNpxI9mUwk/19RetMuCtXFi+D5mcs0VQdhy3A=
-----END EC PRIVATE KEY-----
)";

// openssl genrsa 512
inline constexpr std::string_view kRsa = R"(-----BEGIN PRIVATE KEY-----
MIIBVAIBADANBgkqhkiG9w0BAQEFAASCAT4wggE6AgEAAkEAu/aCqD9WcRguDikk
aJ55QMIK858p5Lc+epfTyBXlajaidmCrSEGCLNp6ScJ/7tc3iLLIap73MOZAGlrS
Bz9rUwIDAQABAkEAtt9Fi4/j+DCAToK0y5yzd8/Se+h1B/NItFmXUOoMxGIq6FyF
K8BLVYEdJn1Da1uCCd42mCbQHi7hZRmH3gb0UQIhAPAArM0MVKT0i8htkpQEeUB6
v/jxcvCJeg6KI/OTdgkfAiEAyH3Y4S4RXx6sng9gOsQoQXg/LC02PSgc+xCTcwni
s00CIAP/vuFbxz1IZdvdF4gn2u1cHj7Dpyqi38nGO3sfheP5AiAzmL+R4+swkZJW
8xoOxaCeiLWpRtFol8QtkKyBtI+VGQIgcT1awwCbmoirDIPGvZB9WQVtdn38Hvm0
3YMk4lF7Ra4=
-----END PRIVATE KEY-----
)";

// openssl genrsa -traditional 512
inline constexpr std::string_view kRsaTraditional = R"(-----BEGIN RSA PRIVATE KEY-----
MIIBOgIBAAJBALv2gqg/VnEYLg4pJGieeUDCCvOfKeS3PnqX08gV5Wo2onZgq0hB
gizaeknCf+7XN4iyyGqe9zDmQBpa0gc/a1MCAwEAAQJBALbfRYuP4/gwgE6CtMuc
s3fP0nvodQfzSLRZl1DqDMRiKuhchSvAS1WBHSZ9Q2tbggneNpgm0B4u4WUZh94G
9FECIQDwAKzNDFSk9IvIbZKUBHlAer/48XLwiXoOiiPzk3YJHwIhAMh92OEuEV8e
rJ4PYDrEKEF4PywtNj0oHPsQk3MJ4rNNAiAD/77hW8c9SGXb3ReIJ9rtXB4+w6cq
ot/Jxjt7H4Xj+QIgM5i/kePrMJGSVvMaDsWgnoi1qUbRaJfELZCsgbSPlRkCIHE9
WsMAm5qIqwyDxr2QfVkFbXZ9/B75tN2DJOJRe0Wu
-----END RSA PRIVATE KEY-----
)";

// openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384
inline constexpr std::string_view kP384 = R"(-----BEGIN PRIVATE KEY-----
MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDC/WEkuBBpE61DfswYF
N23QPHhryEecHfmCGA+T58swNkmIcmqeLZCDpPSJva1KNT2hZANiAASGcgftwb1g
enlytD8FVoH4AGj7fglZ4w2TqS1atyqzo4frZns149hH8NiddqJKuSv7uu8eRUoH
FwJNp3dIWiPJcSZYev872AaTZQuw+ob7mhWB6rhpetb3V3Le924kYqQ=
-----END PRIVATE KEY-----
)";

// openssl ecparam -name secp384r1 -genkey
inline constexpr std::string_view kSec1P384 = R"(-----BEGIN EC PARAMETERS-----
BgUrgQQAIg==
-----END EC PARAMETERS-----
-----BEGIN EC PRIVATE KEY-----
MIGkAgEBBDA0OMG2DqO8eqAWliiBV/XeIvIarXHMQu+L2ZeMuwgMJWhzcVHe//vK
OruREq0iSIegBwYFK4EEACKhZANiAASdvHJZZoNGtOqZ3oWKvHdqYQpBTBGrRoc/
G7YqbYwb3/x75kIibb9UAXZa9AJx0FPQnytHqWrXJxwFKcM1NckZJXIJ+rR5/xI3
eEXSkvvLeOih+lG48wxqkQCKOXmrwR8=
-----END EC PRIVATE KEY-----
)";

// openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -pkeyopt ec_param_enc:explicit
inline constexpr std::string_view kExplicit = R"(-----BEGIN PRIVATE KEY-----
MIIBeQIBADCCAQMGByqGSM49AgEwgfcCAQEwLAYHKoZIzj0BAQIhAP////8AAAAB
AAAAAAAAAAAAAAAA////////////////MFsEIP////8AAAABAAAAAAAAAAAAAAAA
///////////////8BCBaxjXYqjqT57PrvVV2mIa8ZR0GsMxTsPY7zjw+J9JgSwMV
AMSdNgiG5wSTamZ44ROdJreBn36QBEEEaxfR8uEsQkf4vOblY6RA8ncDfYEt6zOg
9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9QIhAP////8A
AAAA//////////+85vqtpxeehPO5ysL8YyVRAgEBBG0wawIBAQQguvUo56wdhaVz
pAPLzIBdB0WfWmojJcgXkBtAJqvs4xKhRANCAATia3o02Iy2/2Nm79PoDF3dYZ9l
rFpkNp2Gm/cegJ9PRFZV7dqw7Lfbfbi3HMyqdD/ZISQ0VW+CbtIa8Riv5tl0
-----END PRIVATE KEY-----
)";

// openssl genpkey -algorithm X25519
inline constexpr std::string_view kX25519 = R"(-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VuBCIEIBDpR0puysZxyqKbfcCRI7kLsTpusS0t+sBl2Oy8ClJU
-----END PRIVATE KEY-----
)";

// openssl req -x509
inline constexpr std::string_view kCertificate = R"(-----BEGIN CERTIFICATE-----
MIIBbzCCARWgAwIBAgIUT6aD44kxVic7/Y3EIpMdoA89zLYwCgYIKoZIzj0EAwIw
DDEKMAgGA1UEAwwBeDAgFw0yNjExMzAxOTUxNDZaGA8yMTI2MTEwNjE5NTE0Nlow
DDEKMAgGA1UEAwwBeDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABO5ISwBOwciH
s0WhgH3tpy2D0CodP1MDUouR5FeoATB3IRwb7umchSFOliiqpkA/pOp7pP3dDBHs
Bw/9ngGHpmyjUzBRMB0GA1UdDgQWBBTUc51nGDqM9K+ZNcVxbw1iyMpg0jAfBgNV
HSMEGDAWgBTUc51nGDqM9K+ZNcVxbw1iyMpg0jAPBgNVHRMBAf8EBTADAQH/MAoG
CCqGSM49BAMCA0gAMEUCIBnitC3EKaXqHjvyoAqvllXQgFTCU8C0yVcNNXvN3I/b
AiEAwCdzTUBcCjGFzhsO5M++0MZqGkNMOlSJ5W9hr0gDpPc=
-----END CERTIFICATE-----
)";

}  // namespace bcpki::test::key_files
