#!/usr/bin/env bash
set -euo pipefail
echo "Deploying a preview of: $1"
curl --fail --header "Authorization: Bearer $PREVIEW_TOKEN" --form "archive=@shop.tar.gz" https://preview.acme.example/deploy
