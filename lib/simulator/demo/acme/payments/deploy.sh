#!/usr/bin/env bash
set -euo pipefail
aws ecs update-service --cluster payments --service ledger --force-new-deployment
