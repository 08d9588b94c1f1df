module gojudge

go 1.19
