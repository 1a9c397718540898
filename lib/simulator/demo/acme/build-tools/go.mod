module acme.example/build-tools

go 1.24
