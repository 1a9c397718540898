export interface ActionInterfaces {
  readonly action: string;
  /**
   * Tags, inputs and outputs per interface, as in `v3.6.0 v4.2.0 | key! path! old~ | cache-hit`: `!` is required without
   * a default, `~` is deprecated. Later lines are differences to the line before: `v5.0.0 | -path! +paths`.
   */
  readonly releases: readonly string[];
  readonly deprecated?: Readonly<Record<string, string>>;
}

export const ACTION_INTERFACES = [
  { action: '1password/install-cli-action', releases: ['v1 v2.0.2 v3 v4.1.0 | version |'] },
  {
    action: '1password/load-secrets-action',
    releases: ['v1.3.2 v2 | export-env unset-previous |', 'v3.2.1 v4 | +version |'],
  },
  {
    action: '8398a7/action-slack',
    releases: [
      'v1.1.2 | failedmention payload text type |',
      'v2.7.0 | -failedmention -type +author_name +channel +icon_emoji +icon_url +mention +only_mention_fail +status +username |',
      'v3.19.0 | -only_mention_fail -payload -status +cancelled_message +custom_payload +failure_message +fields +github_base_url +github_token +if_mention +job_name +status! +success_message |',
    ],
  },
  {
    action: 'actions-rust-lang/setup-rust-toolchain',
    releases: [
      'v1.17 | cache cache-all-crates cache-bin cache-directories cache-key cache-on-failure cache-provider cache-save-if cache-shared-key cache-targets cache-workspace-crates cache-workspaces components matcher override rust-src-dir rustflags target toolchain | cachekey cargo-version rustc-version rustup-version',
    ],
  },
  {
    action: 'actions/add-to-project',
    releases: ['v0.6.1 v1.0.2 v2 | github-token! label-operator labeled project-url! | itemid'],
  },
  {
    action: 'actions/attest',
    releases: [
      'v0.1.1 | github-token predicate predicate-path predicate-type! push-to-registry subject-digest subject-name subject-path | bundle-path',
      'v1.4.1 | +show-summary |',
      'v2.4.0 v3 | +subject-checksums | +attestation-id +attestation-url',
      'v4.2.2 | -predicate-type! +create-storage-record +predicate-type +sbom-path +subject-version | +storage-record-ids',
    ],
  },
  {
    action: 'actions/attest-build-provenance',
    releases: [
      'v0.2.0 | github-token push-to-registry subject-digest subject-name subject-path | bundle-path',
      'v1.4.4 | +show-summary |',
      'v2.4.0 v3 | +subject-checksums | +attestation-id +attestation-url',
      'v4.1.0 | +create-storage-record +predicate +predicate-path +predicate-type | +storage-record-ids',
    ],
  },
  {
    action: 'actions/cache',
    releases: [
      'v1.2.1 | key! path! restore-keys | cache-hit',
      'v2.1.8 | +upload-chunk-size |',
      'v3.5.0 | +enablecrossosarchive +fail-on-cache-miss +lookup-only |',
      'v4.3.0 v5.0.5 | +save-always~ |',
    ],
    deprecated: {
      'save-always':
        'save-always does not work as intended and will be removed in a future release. A separate `actions/cache/restore` step should be used instead. See https://gith…',
    },
  },
  {
    action: 'actions/cache/restore',
    releases: [
      'v3.5.0 v4.3.0 v5.0.5 | enablecrossosarchive fail-on-cache-miss key! lookup-only path! restore-keys | cache-hit cache-matched-key cache-primary-key',
    ],
  },
  {
    action: 'actions/cache/save',
    releases: ['v3.5.0 v4.3.0 v5.0.5 | enablecrossosarchive key! path! upload-chunk-size |'],
  },
  {
    action: 'actions/checkout',
    releases: [
      'v3.7.0 | allow-unsafe-pr-checkout clean fetch-depth fetch-tags github-server-url lfs path persist-credentials ref repository set-safe-directory sparse-checkout sparse-checkout-cone-mode ssh-key ssh-known-hosts ssh-strict submodules token |',
      'v4.4.0 v5.1.0 v6.1.0 v7.0.1 | +filter +show-progress +ssh-user | +commit +ref',
    ],
  },
  {
    action: 'actions/configure-pages',
    releases: [
      'v0.1.0 | static_site_generator token | base_path base_url host origin',
      'v1.2.1 v2.1.3 v3.0.7 v4 | +enablement +generator_config_file |',
    ],
  },
  {
    action: 'actions/create-github-app-token',
    releases: [
      'v1.12.0 | app-id app_id~ github-api-url owner permission-actions permission-administration permission-checks permission-codespaces permission-contents permission-dependabot-secrets permission-deployments permission-email-addresses permission-environments permission-followers permission-git-ssh-keys permission-gpg-keys permission-interaction-limits permission-issues permission-members permission-metadata permission-organization-administration permission-organization-announcement-banners permission-organization-copilot-seat-management permission-organization-custom-org-roles permission-organization-custom-properties permission-organization-custom-roles permission-organization-events permission-organization-hooks permission-organization-packages permission-organization-personal-access-token-requests permission-organization-personal-access-tokens permission-organization-plan permission-organization-projects permission-organization-secrets permission-organization-self-hosted-runners permission-organization-user-blocking permission-packages permission-pages permission-profile permission-pull-requests permission-repository-custom-properties permission-repository-hooks permission-repository-projects permission-secret-scanning-alerts permission-secrets permission-security-events permission-single-file permission-starring permission-statuses permission-team-discussions permission-vulnerability-alerts permission-workflows private-key private_key~ repositories skip-token-revoke skip_token_revoke~ | app-slug installation-id token',
      'v2.2.2 | -app-id -app_id~ -private-key -private_key~ -skip_token_revoke~ +app-id! +permission-custom-properties-for-organizations +permission-enterprise-custom-properties-for-organizations +private-key! |',
      'v3.1.1 | -app-id! +app-id~ +client-id +permission-artifact-metadata +permission-attestations +permission-discussions +permission-merge-queues |',
    ],
    deprecated: {
      'app-id': "Use 'client-id' instead.",
      app_id: "'app_id' is deprecated and will be removed in a future version. Use 'app-id' instead.",
      private_key: "'private_key' is deprecated and will be removed in a future version. Use 'private-key' instead.",
      skip_token_revoke:
        "'skip_token_revoke' is deprecated and will be removed in a future version. Use 'skip-token-revoke' instead.",
    },
  },
  {
    action: 'actions/create-release',
    releases: [
      'v1.1.4 | body body_path commitish draft owner prerelease release_name! repo tag_name! | html_url id upload_url',
    ],
  },
  {
    action: 'actions/dependency-review-action',
    releases: [
      'v1.0.2 | repo-token |',
      'v2.5.1 | +allow-ghsas +allow-licenses +base-ref +config-file +deny-licenses +fail-on-scopes +fail-on-severity +head-ref |',
      'v3.1.5 | +allow-dependencies-licenses +comment-summary-in-pr +deny-groups +deny-packages +external-repo-token +license-check +retry-on-snapshot-warnings +retry-on-snapshot-warnings-timeout +vulnerability-check |',
      'v4.9.0 | +show-openssf-scorecard +show-patched-versions +warn-on-openssf-scorecard-level +warn-only | +comment-content +denied-changes +dependency-changes +invalid-license-changes +vulnerable-changes',
    ],
  },
  {
    action: 'actions/deploy-pages',
    releases: [
      'v1.2.9 | artifact_name conclusion~ emit_telemetry~ error_count preview reporting_interval timeout token | page_url',
      'v2.0.5 v3.0.1 v4.0.5 v5 | -conclusion~ -emit_telemetry~ |',
    ],
    deprecated: {
      conclusion:
        'Use of this input does nothing as it was part of the deprecated `emit_telemetry` flow. You should remove this parameter from your workflow.',
      emit_telemetry:
        'Use of this input causes the action to do nothing. You should remove this build step from your workflow.',
    },
  },
  {
    action: 'actions/download-artifact',
    releases: [
      'v4.3.0 v5 v6 v7 | artifact-ids github-token merge-multiple name path pattern repository run-id | download-path',
      'v8.0.1 | +digest-mismatch +skip-decompress |',
    ],
  },
  {
    action: 'actions/first-interaction',
    releases: [
      'v1.3.0 | issue-message pr-message repo-token! |',
      'v2 | -issue-message -pr-message -repo-token! +issue_message +pr_message +repo_token |',
    ],
  },
  {
    action: 'actions/github-script',
    releases: [
      'v3.2.0 v4.2.0 v5.2.0 | debug github-token previews result-encoding script! user-agent | result',
      'v6.4.1 | +retries +retry-exempt-status-codes |',
      'v7.1.0 | +base-url |',
    ],
  },
  {
    action: 'actions/labeler',
    releases: [
      'v3.1.0 | configuration-path repo-token sync-labels |',
      'v4.3.0 v5 v6.2.0 v7 | +dot +pr-number | +all-labels +new-labels',
    ],
  },
  {
    action: 'actions/setup-dotnet',
    releases: [
      'v2.2.1 | config-file dotnet-version global-json-file include-prerelease owner source-url |',
      'v3.4.2 v4.3.1 | -include-prerelease +cache +cache-dependency-path +dotnet-quality | +cache-hit +dotnet-version',
      'v5.4.0 v6 | +architecture +dotnet-channel +workloads |',
    ],
  },
  {
    action: 'actions/setup-go',
    releases: [
      'v3.6.1 v4.3.0 v5.6.0 | architecture cache cache-dependency-path check-latest go-version go-version-file token | cache-hit go-version',
      'v6.5.0 v7 | +go-download-base-url |',
    ],
  },
  {
    action: 'actions/setup-java',
    releases: [
      'v1.4.5 | architecture gpg-passphrase gpg-private-key java-package java-version! jdkfile server-id server-password server-username settings-path | path version',
      'v2.5.2 | +cache +check-latest +distribution! +job-status +overwrite-settings | +distribution',
      'v3.14.2 | -java-version! +java-version +java-version-file +mvn-toolchain-id +mvn-toolchain-vendor +token | +cache-hit',
      'v4.9.1 | +cache-dependency-path |',
      'v5.7.0 | -distribution! -jdkfile +distribution +jdk-file +jdkfile~ +set-default +show-download-progress +verify-signature +verify-signature-public-key | +cache-primary-key',
    ],
    deprecated: { jdkfile: 'The `jdkFile` input is deprecated. Use `jdk-file` instead.' },
  },
  {
    action: 'actions/setup-node',
    releases: [
      'v3.9.1 | always-auth architecture cache cache-dependency-path check-latest node-version node-version-file registry-url scope token | cache-hit node-version',
      'v4.4.0 | +mirror +mirror-token |',
      'v5 | +package-manager-cache |',
      'v6.5.0 | -always-auth |',
      'v7 |  | +cache-matched-key +cache-primary-key',
    ],
  },
  {
    action: 'actions/setup-python',
    releases: [
      'v3.1.4 | architecture cache cache-dependency-path python-version token | cache-hit python-version',
      'v4.9.1 | +allow-prereleases +check-latest +python-version-file +update-environment | +python-path',
      'v5.6.0 | +freethreaded |',
      'v6.3.0 | +pip-install +pip-version |',
      'v7 | -pip-install |',
    ],
  },
  {
    action: 'actions/stale',
    releases: [
      'v6.0.1 v7 | any-of-issue-labels any-of-labels any-of-pr-labels ascending close-issue-label close-issue-message close-issue-reason close-pr-label close-pr-message days-before-close days-before-issue-close days-before-issue-stale days-before-pr-close days-before-pr-stale days-before-stale debug-only delete-branch enable-statistics exempt-all-assignees exempt-all-issue-assignees exempt-all-issue-milestones exempt-all-milestones exempt-all-pr-assignees exempt-all-pr-milestones exempt-assignees exempt-draft-pr exempt-issue-assignees exempt-issue-labels exempt-issue-milestones exempt-milestones exempt-pr-assignees exempt-pr-labels exempt-pr-milestones ignore-issue-updates ignore-pr-updates ignore-updates include-only-assigned labels-to-add-when-unstale labels-to-remove-when-unstale only-issue-labels only-labels only-pr-labels operations-per-run remove-issue-stale-when-updated remove-pr-stale-when-updated remove-stale-when-updated repo-token stale-issue-label stale-issue-message stale-pr-label stale-pr-message start-date | closed-issues-prs staled-issues-prs',
      'v8 v9.1.0 | +labels-to-remove-when-stale |',
      'v10.3.0 | +only-issue-types +sort-by |',
    ],
  },
  {
    action: 'actions/upload-artifact',
    releases: [
      'v3.2.1 | if-no-files-found include-hidden-files name path! retention-days |',
      'v4.6.2 v5 v6 | +compression-level +overwrite | +artifact-digest +artifact-id +artifact-url',
      'v7 | +archive |',
    ],
  },
  {
    action: 'actions/upload-artifact/merge',
    releases: [
      'v4.6.2 v5 v6 v7 | compression-level delete-merged include-hidden-files name pattern retention-days separate-directories | artifact-digest artifact-id artifact-url',
    ],
  },
  {
    action: 'actions/upload-pages-artifact',
    releases: [
      'v1.0.10 v2 | name path retention-days |',
      'v3.0.1 v4 |  | +artifact_id',
      'v5 | +include-hidden-files |',
    ],
  },
  {
    action: 'actions/upload-release-asset',
    releases: ['v1.0.2 | asset_content_type! asset_name! asset_path! upload_url! | browser_download_url'],
  },
  {
    action: 'ad-m/github-push-action',
    releases: [
      'v0.8.0 | atomic branch directory force force_with_lease github_token github_url repository ssh tags |',
      'v1.3.0 | +pull +push_only_tags +push_to_submodules +token |',
    ],
  },
  {
    action: 'amannn/action-semantic-pull-request',
    releases: [
      'v2.2.0 | requirescope scopes types |',
      'v3.7.0 | +githubbaseurl +subjectpattern +subjectpatternerror +validatesinglecommit +wip |',
      'v4.6.0 v5.5.3 v6.1.1 | +disallowscopes +headerpattern +headerpatterncorrespondence +ignorelabels +validatesinglecommitmatchesprtitle |',
    ],
  },
  {
    action: 'anchore/sbom-action',
    releases: [
      'v0.24.0 | artifact-name config dependency-snapshot file format github-token image output-file path registry-password registry-username syft-version upload-artifact upload-artifact-retention upload-release-assets |',
    ],
  },
  { action: 'anchore/sbom-action/download-syft', releases: ['v0.24.0 | run syft-version | cmd'] },
  {
    action: 'anchore/scan-action',
    releases: [
      'v3.6.4 v4.1.2 | add-cpes-if-none by-cve fail-build grype-version image only-fixed output-format path sbom severity-cutoff vex | json sarif',
      'v5.3.0 | +cache-db |',
      'v6.5.1 | +output-file | +cyclonedx-json +cyclonedx-xml',
      'v7.4.0 | +config |',
    ],
  },
  {
    action: 'anthropics/claude-code-action',
    releases: [
      'v0.0.63 | additional_permissions allowed_bots allowed_tools anthropic_api_key anthropic_model assignee_trigger base_branch branch_prefix claude_code_oauth_token claude_env custom_instructions direct_prompt disallowed_tools experimental_allowed_domains fallback_model github_token label_trigger max_turns mcp_config mode model override_prompt settings timeout_minutes trigger_phrase use_bedrock use_commit_signing use_sticky_comment use_vertex | branch_name execution_file',
      'v1.0.200 | -allowed_tools -anthropic_model -claude_env -custom_instructions -direct_prompt -disallowed_tools -experimental_allowed_domains -fallback_model -max_turns -mcp_config -mode -model -override_prompt -timeout_minutes +allowed_non_write_users +anthropic_federation_rule_id +anthropic_oidc_audience +anthropic_organization_id +anthropic_service_account_id +anthropic_workspace_id +bot_id +bot_name +branch_name_template +classify_inline_comments +claude_args +display_report +exclude_comments_by_actor +include_comments_by_actor +include_fix_links +path_to_bun_executable +path_to_claude_code_executable +plugin_marketplaces +plugins +prompt +show_full_output +ssh_signing_key +track_progress +use_foundry | +conclusion +github_token +session_id +structured_output',
    ],
  },
  {
    action: 'appleboy/ssh-action',
    releases: [
      'v0.1.10 | cipher command_timeout debug envs envs_format fingerprint host key key_path passphrase password port proxy_cipher proxy_fingerprint proxy_host proxy_key proxy_key_path proxy_passphrase proxy_password proxy_port proxy_timeout proxy_use_insecure_cipher proxy_username script script_stop sync timeout use_insecure_cipher username |',
      'v1.2.5 | -script_stop +allenvs +capture_stdout +curl_insecure +protocol +proxy_protocol +request_pty +script_path +version | +stdout',
    ],
  },
  { action: 'aquasecurity/setup-trivy', releases: ['v0.3.1 | cache github-server-url path token version |'] },
  {
    action: 'aquasecurity/trivy-action',
    releases: [
      'v0.36.0 | cache cache-dir docker-host exit-code format github-pat hide-progress ignore-policy ignore-unfixed image-ref input limit-severities-for-sarif list-all-pkgs output scan-ref scan-type scanners severity skip-dirs skip-files skip-setup-trivy template tf-vars timeout token-setup-trivy trivy-config trivyignores version vuln-type |',
    ],
  },
  {
    action: 'astral-sh/setup-uv',
    releases: [
      'v6.8 | activate-environment add-problem-matchers cache-dependency-glob cache-local-path cache-suffix checksum enable-cache github-token ignore-empty-workdir ignore-nothing-to-cache manifest-file prune-cache python-version restore-cache save-cache server-url tool-bin-dir tool-dir version version-file working-directory | cache-hit uv-path uv-version uvx-path',
      'v7.6 | -server-url +cache-python +resolution-strategy +venv-path | +cache-key +python-cache-hit +python-version +venv',
      'v8.3.2 v9.0.0 v10.0.1 | +download-from-astral-mirror +no-project +quiet |',
    ],
  },
  {
    action: 'aws-actions/amazon-ecr-login',
    releases: ['v1.7.1 v2.1.7 | http-proxy mask-password registries registry-type skip-logout | registry'],
  },
  {
    action: 'aws-actions/amazon-ecs-deploy-task-definition',
    releases: [
      'v1 | cluster codedeploy-application codedeploy-appspec codedeploy-deployment-description codedeploy-deployment-group desired-count force-new-deployment service task-definition! wait-for-minutes wait-for-service-stability | codedeploy-deployment-id task-definition-arn',
      'v2.6.3 | +codedeploy-deployment-config +enable-ecs-managed-tags +keep-null-value-keys +max-retries +propagate-tags +run-task +run-task-assign-public-ip +run-task-capacity-provider-strategy +run-task-container-overrides +run-task-launch-type +run-task-managed-ebs-volume +run-task-managed-ebs-volume-name +run-task-security-groups +run-task-started-by +run-task-subnets +run-task-tags +service-managed-ebs-volume +service-managed-ebs-volume-name +wait-for-task-stopped +wait-max-delay-seconds | +run-task-arn',
    ],
  },
  {
    action: 'aws-actions/configure-aws-credentials',
    releases: [
      'v2.2.0 | audience aws-access-key-id aws-region! aws-secret-access-key aws-session-token http-proxy inline-session-policy managed-session-policies mask-aws-account-id role-chaining role-duration-seconds role-external-id role-session-name role-skip-session-tagging role-to-assume web-identity-token-file | aws-account-id',
      'v3.0.2 | +disable-retry +output-credentials +retry-max-attempts +special-characters-workaround +unset-current-credentials | +aws-access-key-id +aws-secret-access-key +aws-session-token',
      'v4.3.1 | +output-env-credentials +use-existing-credentials | +aws-expiration',
      'v5.1.1 | +action-timeout-s +allowed-account-ids +force-skip-oidc +no-proxy |',
      'v6.2.3 | +aws-profile +custom-tags +overwrite-aws-profile +sts-endpoint +transitive-tag-keys |',
    ],
  },
  { action: 'aws-actions/setup-sam', releases: ['v0 v1 | python version |', 'v2 v3 | +token +use-installer |'] },
  {
    action: 'azure/login',
    releases: [
      'v1.6.1 v2.3.1 v3.0.1 | allow-no-subscriptions audience auth-type client-id creds enable-azpssession environment subscription-id tenant-id |',
    ],
  },
  {
    action: 'azure/setup-helm',
    releases: [
      'v1.1 v3.5 | token version | helm-path',
      'v2.2 | -token |',
      'v4.3.1 v5.0.1 | +downloadbaseurl +token~ |',
    ],
    deprecated: { token: 'GitHub token is no longer required' },
  },
  { action: 'azure/setup-kubectl', releases: ['v1 v2.1 v3.2 v4.0.1 v5.1.0 | version | kubectl-path'] },
  {
    action: 'benchmark-action/github-action-benchmark',
    releases: [
      'v1.22.0 | alert-comment-cc-users alert-threshold auto-push benchmark-data-dir-path comment-always comment-on-alert external-data-json-path fail-on-alert fail-threshold gh-pages-branch gh-repository github-token go-force-package-suffix max-items-in-chart name output-file-path! ref save-data-file skip-fetch-gh-pages summary-always tool! |',
    ],
  },
  {
    action: 'bufbuild/buf-action',
    releases: [
      'v0.3 | archive breaking breaking_against domain exclude_imports exclude_paths format github_actor github_token input lint paths pr_comment push push_disable_create setup_only token version | buf_version',
      'v1.5 | +breaking_against_registry +checksum +public_github_token +push_create_visibility | +buf_path',
    ],
  },
  {
    action: 'cachix/cachix-action',
    releases: [
      'v13 | authtoken cachixargs extrapullnames installcommand name! pathstopush pushfilter signingkey skipaddingsubstituter skippush |',
      'v14 v15 v16 v17 | +cachixbin +usedaemon |',
    ],
  },
  {
    action: 'cachix/install-nix-action',
    releases: [
      'v26 v27 v29 v30 | enable_kvm extra_nix_config github_access_token install_options install_url nix_path |',
      'v31.11.0 | +set_as_trusted_user |',
    ],
  },
  {
    action: 'changesets/action',
    releases: [
      'v1.9.0 | branch commit commitmode creategithubreleases cwd github-token prdraft publish setupgituser title version | haschangesets published publishedpackages pullrequestnumber',
      'v2.1.1 | -branch -commit -commitmode -creategithubreleases -prdraft -publish -setupgituser -title -version +commit-message +create-github-releases +pr-base-branch +pr-draft +pr-title +publish-script +push-git-tags +push-with-git-cli +version-script | -haschangesets -publishedpackages -pullrequestnumber +has-changesets +pr-number +published-packages',
    ],
  },
  {
    action: 'cloudflare/wrangler-action',
    releases: [
      '0.1.4 | apikey! email! environment |',
      '1.3.0 | -apikey! -email! +apikey +apitoken +email +postcommands +precommands +publish +secrets +workingdirectory +wranglerversion |',
      '2.0.0 | -publish +accountid +command |',
      'v3.15 v4 | -apikey -email +githubtoken +packagemanager +quiet +vars | +command-output +command-stderr +deployment-url +pages-deployment-alias-url +pages-deployment-id +pages-environment',
    ],
  },
  {
    action: 'codecov/codecov-action',
    releases: [
      'v1.5.2 | aws_curl_args codecov_curl_args commit_parent directory env_vars fail_ci_if_error file files flags functionalities gcov_args gcov_executable gcov_path_exclude gcov_path_include gcov_prefix gcov_root_dir move_coverage_to_trash name network_filter override_branch override_build override_commit override_pr override_tag path_to_write_report root_dir token verbose working-directory xcode_derived_data xcode_package |',
      'v2.1.0 | -aws_curl_args -codecov_curl_args -gcov_args -gcov_executable -gcov_path_exclude -gcov_path_include -gcov_prefix -gcov_root_dir -network_filter -path_to_write_report -xcode_derived_data -xcode_package +dry_run +os +slug +url +version |',
      'v3.1.6 | +full_report +gcov +gcov_args +gcov_executable +gcov_ignore +gcov_include +network_filter +network_prefix +swift +swift_project +upstream_proxy +xcode +xcode_archive_path +xtra_args |',
      'v4.6.0 | -full_report -functionalities -gcov -gcov_args -gcov_executable -gcov_ignore -gcov_include -move_coverage_to_trash -override_tag -swift -swift_project -upstream_proxy -xcode -xcode_archive_path -xtra_args +codecov_yml_path +disable_file_fixes +disable_safe_directory +disable_search +exclude +git_service +handle_no_reports_found +job_code +override_build_url +plugin +plugins +report_code +use_legacy_upload_endpoint +use_oidc |',
      'v5.5.2 | -file -plugin +base_sha +binary +disable_telem +force +gcov_args +gcov_executable +gcov_ignore +gcov_include +recurse_submodules +report_type +run_command +skip_validation +swift_project +use_pypi |',
    ],
  },
  {
    action: 'codspeedhq/action',
    releases: [
      'v1.8.1 | run! token upload_url working-directory |',
      'v2.4.5 | -upload_url +instruments +mongo-uri-env-name +runner-version +upload-url |',
      'v3.8.1 | +mode |',
      'v4.19.1 | -mode -run! +allow-empty +cache-instruments +config +go-runner-version +instruments-cache-dir +mode! +run +skip-hash-check-warning |',
      'v5.0.3 | +cycle-estimation +exclude-allocations |',
    ],
  },
  {
    action: 'conda-incubator/setup-miniconda',
    releases: [
      'v1.7.0 | activate-environment add-anaconda-token add-pip-as-python-dependency allow-softlinks architecture auto-activate-base auto-update-conda channel-alias channel-priority channels conda-build-version conda-version condarc-file environment-file installer-url mamba-version miniconda-version python-version remove-profiles show-channel-urls use-only-tar-bz2 |',
      'v2.3.0 | +clean-patched-environment-file +miniforge-variant +miniforge-version +run-post +use-mamba | +environment-file +environment-file-content +environment-file-was-patched',
      'v3.3.0 | +auto-activate +conda-remove-defaults +conda-solver +installation-dir +pkgs-dirs |',
      'v4.0.1 | +run-init |',
    ],
  },
  {
    action: 'contributor-assistant/github-action',
    releases: [
      'v1.0.0 | blockchain-storage-flag branch empty-commit-flag label path-to-signatures |',
      'v2.6.1 | -blockchain-storage-flag -empty-commit-flag -label +allowlist +create-file-commit-message +custom-allsigned-prcomment +custom-notsigned-prcomment +custom-pr-sign-comment +lock-pullrequest-aftermerge +path-to-document +remote-organization-name +remote-repository-name +signed-commit-message +signed-empty-commit-message +suggest-recheck +use-dco-flag |',
    ],
  },
  {
    action: 'coverallsapp/github-action',
    releases: [
      'v0.2.0 | base-path coveralls-endpoint github-token! parallel parallel-finished path-to-lcov | coveralls-api-result',
      'v1.2.5 | -github-token! +carryforward +debug +flag-name +git-branch +git-commit +github-token |',
      'v2.3.8 | +allow-empty +build-number +compare-ref +compare-sha +coverage-reporter-platform +coverage-reporter-version +fail-on-error +file +files +format +measure | -coveralls-api-result',
    ],
  },
  {
    action: 'crate-ci/typos',
    releases: ['v1.48.0 | config extend_identifiers extend_words files isolated write_changes |'],
  },
  {
    action: 'crazy-max/ghaction-import-gpg',
    releases: [
      'v3.2.0 | git-commit-gpgsign git-committer-email git-committer-name git-config-global git-push-gpgsign git-tag-gpgsign git-user-signingkey gpg-private-key! passphrase workdir | email fingerprint keyid',
      'v4.4.0 | -git-commit-gpgsign -git-committer-email -git-committer-name -git-config-global -git-push-gpgsign -git-tag-gpgsign -git-user-signingkey -gpg-private-key! +fingerprint +git_commit_gpgsign +git_committer_email +git_committer_name +git_config_global +git_push_gpgsign +git_tag_gpgsign +git_user_signingkey +gpg_private_key! |',
      'v5.4.0 v6.3.0 v7 | +trust_level | +name',
    ],
  },
  {
    action: 'crystal-lang/install-crystal',
    releases: ['v1.9.2 | annotate arch crystal destination shards token | crystal path shards'],
  },
  {
    action: 'dawidd6/action-download-artifact',
    releases: [
      'v17 v18 v19 v20 v21 | allow_forks branch check_artifacts commit dry_run event github_token if_no_artifact_found merge_multiple name name_is_regexp path pr ref repo run_id run_number search_artifacts skip_unpack use_unzip workflow workflow_conclusion workflow_search | artifacts dry_run error_message found_artifact',
    ],
  },
  {
    action: 'denoland/setup-deno',
    releases: [
      'v1.5.2 | deno-binary-name deno-version deno-version-file | deno-version is-canary release-channel',
      'v2.0.4 | +cache +cache-hash | -is-canary +cache-hit',
    ],
  },
  {
    action: 'dependabot/fetch-metadata',
    releases: [
      'v1.7.0 | alert-lookup compat-lookup github-token skip-commit-verification skip-verification | alert-state compatibility-score cvss dependency-names dependency-type directory ghsa-id maintainer-changes new-version package-ecosystem previous-version target-branch update-type updated-dependencies-json',
      'v2.5.0 v3.1.0 |  | +dependency-group',
    ],
  },
  {
    action: 'dessant/lock-threads',
    releases: [
      'v2.1.2 | github-token issue-exclude-created-before issue-exclude-labels issue-lock-comment issue-lock-inactive-days issue-lock-labels issue-lock-reason pr-exclude-created-before pr-exclude-labels pr-lock-comment pr-lock-inactive-days pr-lock-labels pr-lock-reason process-only | issues prs',
      'v3 v4.0.1 | -issue-exclude-created-before -issue-exclude-labels -issue-lock-comment -issue-lock-inactive-days -issue-lock-labels -pr-exclude-created-before -pr-exclude-labels -pr-lock-comment -pr-lock-inactive-days -pr-lock-labels +add-issue-labels +add-pr-labels +exclude-any-issue-labels +exclude-any-pr-labels +exclude-issue-closed-after +exclude-issue-closed-before +exclude-issue-closed-between +exclude-issue-created-after +exclude-issue-created-before +exclude-issue-created-between +exclude-pr-closed-after +exclude-pr-closed-before +exclude-pr-closed-between +exclude-pr-created-after +exclude-pr-created-before +exclude-pr-created-between +include-all-issue-labels +include-all-pr-labels +include-any-issue-labels +include-any-pr-labels +issue-comment +issue-inactive-days +log-output +pr-comment +pr-inactive-days +remove-issue-labels +remove-pr-labels |',
      'v5.0.1 v6.0.2 | +add-discussion-labels +discussion-comment +discussion-inactive-days +exclude-any-discussion-labels +exclude-discussion-closed-after +exclude-discussion-closed-before +exclude-discussion-closed-between +exclude-discussion-created-after +exclude-discussion-created-before +exclude-discussion-created-between +include-all-discussion-labels +include-any-discussion-labels +remove-discussion-labels | +discussions',
    ],
  },
  { action: 'digitalocean/action-doctl', releases: ['v1.8.0 |  |'] },
  {
    action: 'docker/bake-action',
    releases: [
      'v3.2.0 | builder files! load no-cache provenance pull push sbom set source targets workdir | metadata',
      'v4.7.0 | -files! +files +github-token |',
      'v5.13.0 | +allow |',
      'v6.10.0 | +call |',
      'v7.1.0 | -workdir |',
    ],
  },
  {
    action: 'docker/bake-action/subaction/matrix',
    releases: ['v6.10.0 v7.1.0 | fields files target workdir | matrix'],
  },
  {
    action: 'docker/build-push-action',
    releases: [
      'v3.3.1 v4.2.1 | add-hosts allow attests build-args build-contexts builder cache-from cache-to cgroup-parent context file github-token labels load network no-cache no-cache-filters outputs platforms provenance pull push sbom secret-files secrets shm-size ssh tags target ulimit | digest imageid metadata',
      'v5.4.0 | +annotations +secret-envs |',
      'v6.19.2 v7.3.0 | +call |',
    ],
  },
  {
    action: 'docker/login-action',
    releases: ['v1.14.1 v2.2.0 | ecr logout password registry username |', 'v3.7.0 v4.1.0 | +registry-auth +scope |'],
  },
  {
    action: 'docker/metadata-action',
    releases: [
      'v2.5.0 | bake-target flavor github-token images! labels sep-labels sep-tags tags | bake-file labels tags version',
      'v3.8.0 |  | +json',
      'v4.6.0 | +context |',
      'v5.10.0 v6.2.0 | -images! +annotations +images +sep-annotations | +annotations +bake-file-annotations +bake-file-labels +bake-file-tags +tag-names',
    ],
  },
  {
    action: 'docker/scout-action',
    releases: [
      'v0.23.4 | app command! debug dockerhub-password dockerhub-user environment exit-code github-token ignore-base ignore-unchanged ignore-vex image keep-previous-comments only-fixed only-package-types only-severities only-unfixed organization platform ref registry-password registry-user sarif-file stream~ summary to to-env to-latest to-ref to-stream~ to-type type write-comment |',
      'v1.22.0 | -app -ignore-vex -to-type -type +exit-on +file +format +hide-policies +ignore-suppressed +only-cisa-kev +only-refresh +only-update +only-vex-affected +output +predicate-type +referrer +referrer-repository +registry-write-password +registry-write-user +secrets +tags +verbose-debug +vex-author +vex-location |',
    ],
    deprecated: { stream: 'Use environment instead', 'to-stream': 'Use to-env instead' },
  },
  {
    action: 'docker/setup-buildx-action',
    releases: [
      'v1.7.0 | buildkitd-flags config config-inline driver driver-opts endpoint install use version | driver endpoint flags name platforms status',
      'v2.10.0 | +append +cleanup +platforms | +nodes',
      'v3.12.0 | -config -config-inline -install +buildkitd-config +buildkitd-config-inline +cache-binary +config-inline~ +config~ +install~ +keep-state +name |',
      'v4.3.0 | -config-inline~ -config~ -install~ |',
    ],
    deprecated: {
      config: 'Use buildkitd-config instead',
      'config-inline': 'Use buildkitd-config-inline instead',
      install:
        '"docker buildx install" command is deprecated and will be removed in a future release, use BUILDX_BUILDER environment variable instead',
    },
  },
  {
    action: 'docker/setup-docker-action',
    releases: [
      'v1.4.0 v2.2.0 | channel context daemon-config version |',
      'v3.5.0 | +rootless +set-host | +sock',
      'v4.7.0 v5.4.0 | +github-token +runtime-basedir +tcp-port | +tcp',
    ],
  },
  {
    action: 'docker/setup-qemu-action',
    releases: ['v1.2.0 v2.2.0 | image platforms | platforms', 'v3.7.0 | +cache-image |', 'v4.2.0 | +reset |'],
  },
  {
    action: 'dorny/paths-filter',
    releases: [
      'v1.1.0 | filters! token |',
      'v2 | +base +initial-fetch-depth +list-files +ref +working-directory | +changes',
      'v3.0.3 v4.0.2 | +predicate-quantifier |',
    ],
  },
  {
    action: 'dorny/test-reporter',
    releases: [
      'v1 | artifact badge-title fail-on-empty fail-on-error list-suites list-tests max-annotations name! only-summary path! path-replace-backslashes reporter! token use-actions-summary working-directory | conclusion failed passed skipped time url url_html',
      'v2.7.0 v3 | +collapsed +report-title | +slug_prefix',
    ],
  },
  { action: 'dtolnay/rust-toolchain', releases: ['v1 | components target targets toolchain! | cachekey name'] },
  {
    action: 'embarkstudios/cargo-deny-action',
    releases: [
      'v0.3.0 | command |',
      'v1.6.3 | +arguments +command-arguments +credentials +log-level +manifest-path +rust-version |',
      'v2.0.17 | +ssh-key +ssh-known-hosts +use-git-cli |',
    ],
  },
  {
    action: 'emscripten-core/setup-emsdk',
    releases: [
      'v12 v13 | actions-cache-folder no-cache no-install update update-tags version |',
      'v14 | +cache-key |',
      'v15 v16 | +emsdk-version |',
    ],
  },
  {
    action: 'endbug/add-and-commit',
    releases: [
      'v7.5.0 | add author_email author_name branch branch_mode committer_email committer_name cwd default_author github_token message pathspec_error_handling pull pull_strategy~ push remove signoff tag | commit_sha committed pushed tagged',
      'v8.0.2 | -branch -branch_mode -pull_strategy~ -signoff +commit +new_branch | +commit_long_sha',
      'v9.1.4 v10 | +fetch +tag_push | +tag_pushed',
      'v11.1.1 | +allow_unsafe_git_protocols +dry_run +push_attempts |',
    ],
    deprecated: { pull_strategy: "The 'pull_strategy' input is deprecated, please use 'pull'" },
  },
  {
    action: 'erlef/setup-beam',
    releases: [
      'v1.24.1 | disable_problem_matchers elixir-version github-token gleam-version hexpm-mirrors install-hex install-rebar otp-architecture otp-version rebar3-version version-file version-type | elixir-version gleam-version otp-version rebar3-version setup-beam-version',
    ],
  },
  { action: 'extractions/setup-just', releases: ['v1.6.0 | github-token just-version |'] },
  {
    action: 'github/branch-deploy',
    releases: [
      'v8.2.1 | admins admins_pat allow_forks allow_sha_deployments deploy_message_path disable_naked_commands draft_permitted_targets environment environment_targets environment_url_in_comment environment_urls github_token global_lock_flag help_trigger lock_info_alias lock_trigger merge_deploy_mode noop_trigger param_separator permissions production_environments reaction required_contexts skip_ci skip_completing skip_reviews stable_branch status sticky_locks sticky_locks_for_noop trigger unlock_on_merge_mode unlock_trigger update_branch | actor actor_handle base_ref comment_body comment_id continue deployment_id environment environment_url fork fork_checkout fork_full_name fork_label fork_ref global_lock_claimed global_lock_released initial_reaction_id issue_number noop params ref sha sha_deployment triggered type unlocked_environments',
      'v9.10.0 | +checks +enforced_deployment_order +failed_deploy_labels +failed_noop_labels +outdated_mode +skip_successful_deploy_labels_if_approved +skip_successful_noop_labels_if_approved +successful_deploy_labels +successful_noop_labels | +approved_reviews_count +commit_status +default_branch_tree_sha +initial_comment_id +is_outdated +merge_state_status +needs_to_be_deployed +parsed_params +review_decision',
      'v10.4.3 v11 | +allow_non_default_target_branch_deployments +commit_verification +deployment_confirmation +deployment_confirmation_timeout +ignored_checks +use_security_warnings | +commit_verified +non_default_target_branch_used +total_seconds',
      'v12 | +disable_lock | +decision +reason_code +result',
    ],
  },
  { action: 'github/codeql-action', releases: ['v2.28.1 v3.36.2 v4.36.2 |  |'] },
  {
    action: 'github/codeql-action/analyze',
    releases: [
      'v1.1.39 | add-snippets category check_name checkout_path cleanup-level expect-error matrix output ram ref sha skip-queries threads token upload upload-database wait-for-processing | db-locations sarif-id',
      'v2.28.1 | -add-snippets +add-snippets~ | +sarif-output',
      'v3.36.2 v4.36.2 | +post-processed-sarif-path |',
    ],
    deprecated: { 'add-snippets': 'The input "add-snippets" has been removed and no longer has any effect.' },
  },
  {
    action: 'github/codeql-action/autobuild',
    releases: ['v1.1.39 v2.28.1 v3.36.2 v4.36.2 | matrix token working-directory |'],
  },
  {
    action: 'github/codeql-action/init',
    releases: [
      'v1.1.39 | config-file db-location debug debug-artifact-name debug-database-name external-repository-token languages matrix packs queries ram registries setup-python-dependencies source-root threads token tools trap-caching | codeql-path',
      'v2.28.1 | +build-mode +config +dependency-caching | +codeql-version',
      'v3.36.2 v4.36.2 | +analysis-kinds +check-run-id +quality-queries |',
    ],
  },
  {
    action: 'github/codeql-action/upload-sarif',
    releases: [
      'v1.1.39 v2.28.1 | category checkout_path matrix ref sarif_file sha token wait-for-processing | sarif-id',
      'v3.36.2 v4.36.2 |  | +sarif-ids',
    ],
  },
  {
    action: 'gitleaks/gitleaks-action',
    releases: ['v1.6.0 | config-path | exitcode result', 'v2.3.9 v3 | -config-path | -exitcode -result'],
  },
  {
    action: 'golangci/golangci-lint-action',
    releases: [
      'v5.3.0 | annotations args cache-invalidation-interval github-token install-mode only-new-issues skip-cache skip-save-cache version working-directory |',
      'v6.5.2 v7.0.1 v8 | -annotations +problem-matchers +verify |',
      'v9.3.0 | +debug +experimental +install-only +version-file |',
    ],
  },
  {
    action: 'google-github-actions/auth',
    releases: [
      'v0.9.0 v1.3.0 | access_token_lifetime access_token_scopes access_token_subject audience backoff backoff_limit cleanup_credentials create_credentials_file credentials_json delegates export_environment_variables id_token_audience id_token_include_email project_id retries service_account token_format workload_identity_provider | access_token access_token_expiration credentials_file_path id_token project_id',
      'v2.1.13 | -backoff -backoff_limit -retries +backoff_limit~ +backoff~ +request_reason +retries~ +universe | -access_token_expiration +auth_token',
    ],
    deprecated: {
      backoff: 'This field is no longer used and will be removed in a future release.',
      backoff_limit: 'This field is no longer used and will be removed in a future release.',
      retries: 'This field is no longer used and will be removed in a future release.',
    },
  },
  {
    action: 'google-github-actions/deploy-cloudrun',
    releases: [
      'v0.11.0 | credentials env_vars flags gcloud_component gcloud_version image labels metadata no_traffic project_id region revision_traffic secrets service source suffix tag tag_traffic timeout | url',
      'v1.0.2 | -credentials +env_vars_file +skip_default_labels |',
      'v2.7.6 | +env_vars_update_strategy +job +secrets_update_strategy +update_traffic_flags +wait |',
    ],
  },
  {
    action: 'google-github-actions/get-gke-credentials',
    releases: [
      'v0.9.0 | cluster_name! context_name credentials fleet_membership_name location project_id use_auth_provider use_connect_gateway use_internal_ip |',
      'v1.0.2 | -credentials +quota_project_id | +kubeconfig_path',
      'v2.3.5 | +namespace +use_dns_based_endpoint |',
    ],
  },
  {
    action: 'google-github-actions/run-gemini-cli',
    releases: [
      'v0.1.22 | extensions gcp_access_token_scopes gcp_location gcp_project_id gcp_service_account gcp_token_format gcp_workload_identity_provider gemini_api_key gemini_cli_version gemini_debug gemini_model github_issue_number github_pr_number google_api_key prompt settings upload_artifacts use_gemini_code_assist use_pnpm use_vertex_ai workflow_name | error summary',
    ],
  },
  {
    action: 'google-github-actions/setup-gcloud',
    releases: [
      'v0.7.0 | cleanup_credentials credentials_file_path export_default_credentials install_components project_id service_account_email service_account_key version |',
      'v1.1.1 | -cleanup_credentials -credentials_file_path -export_default_credentials -service_account_email -service_account_key +skip_install |',
      'v2.2.1 | +skip_tool_cache | +version',
    ],
  },
  {
    action: 'googleapis/release-please-action',
    releases: [
      'v1.6.3 | bump-minor-pre-major monorepo-tags package-name! path release-type! token! |',
      'v2.35 | -package-name! -token! +bump-patch-for-minor-pre-major +changelog-path +changelog-types +clean +command +config-file +default-branch +fork +github-api-url +github-graphql-url +manifest-file +package-name +pull-request-title-pattern +repo-url +signoff +token +version-file |',
      'v3.7.13 | +always-link-local +bootstrap-sha +changelog-host +changelog-notes-type +commit-search-depth +component +draft +draft-pull-request +extra-files +group-pull-request-title-pattern +include-v-in-tag +labels +last-release-sha +plugins +prerelease +proxy-server +pull-request-header +release-as +release-labels +release-search-depth +separate-pull-requests +sequential-calls +skip-github-release +skip-labeling +snapshot-labels +tag-separator +versioning-strategy |',
    ],
  },
  {
    action: 'goreleaser/goreleaser-action',
    releases: [
      'v3.2.0 v4.6.0 v5.1.0 v6.4.0 | args distribution install-only version workdir | artifacts metadata',
      'v7.2.3 | +version-file |',
    ],
  },
  { action: 'goto-bus-stop/setup-zig', releases: ['v1.4.0 | cache version |'] },
  {
    action: 'graalvm/setup-graalvm',
    releases: [
      'v1.6.3 | cache check-for-updates components distribution gds-token github-token java-package java-version native-image-enable-sbom native-image-job-reports native-image-musl native-image-pr-reports native-image-pr-reports-update-existing set-java-home version | cache-hit',
    ],
  },
  {
    action: 'gradle/actions',
    releases: [
      'v2.12.0 | arguments artifact-retention-days build-root-directory cache-disabled cache-overwrite-existing cache-read-only cache-write-only dependency-graph generate-job-summary github-token gradle-executable gradle-home-cache-cleanup gradle-home-cache-excludes gradle-home-cache-includes gradle-home-cache-strict-match gradle-version workflow-job-context | build-scan-url dependency-graph-file gradle-version',
      'v3.5.0 v4.4.4 v5.0.2 v6.3.0 | -arguments -artifact-retention-days -build-root-directory -cache-disabled -cache-overwrite-existing -cache-read-only -cache-write-only -dependency-graph -generate-job-summary -github-token -gradle-executable -gradle-home-cache-cleanup -gradle-home-cache-excludes -gradle-home-cache-includes -gradle-home-cache-strict-match -gradle-version -workflow-job-context | -build-scan-url -dependency-graph-file -gradle-version',
    ],
  },
  {
    action: 'gradle/actions/dependency-submission',
    releases: [
      'v0 | build-root-directory cache-encryption-key dependency-graph-action gradle-version |',
      'v3.5.0 | -dependency-graph-action +add-job-summary +add-job-summary-as-pr-comment +additional-arguments +artifact-retention-days +build-scan-publish +build-scan-terms-of-service-agree +build-scan-terms-of-service-url +build-scan-terms-of-use-agree +build-scan-terms-of-use-url +cache-disabled +cache-overwrite-existing +cache-read-only +cache-write-only +dependency-graph +dependency-graph-continue-on-failure +dependency-resolution-task +develocity-access-key +develocity-token-expiry +generate-job-summary +github-token +gradle-home-cache-cleanup +gradle-home-cache-excludes +gradle-home-cache-includes +gradle-home-cache-strict-match +workflow-job-context | +build-scan-url +dependency-graph-file +gradle-version',
      'v4.4.4 v5.0.2 | -build-scan-terms-of-service-agree -build-scan-terms-of-service-url -generate-job-summary +allow-snapshot-wrappers +cache-cleanup +dependency-graph-exclude-configurations +dependency-graph-exclude-projects +dependency-graph-include-configurations +dependency-graph-include-projects +dependency-graph-report-dir +validate-wrappers |',
      'v6.3.0 | +cache-provider |',
    ],
  },
  {
    action: 'gradle/actions/setup-gradle',
    releases: [
      'v0 | add-job-summary add-job-summary-as-pr-comment artifact-retention-days cache-disabled cache-encryption-key cache-overwrite-existing cache-read-only cache-write-only dependency-graph dependency-graph-continue-on-failure github-token gradle-home-cache-cleanup gradle-home-cache-excludes gradle-home-cache-includes gradle-version workflow-job-context | build-scan-url dependency-graph-file gradle-version',
      'v3.5.0 | +arguments +build-root-directory +build-scan-publish +build-scan-terms-of-service-agree +build-scan-terms-of-service-url +build-scan-terms-of-use-agree +build-scan-terms-of-use-url +develocity-access-key +develocity-allow-untrusted-server +develocity-capture-file-fingerprints +develocity-ccud-plugin-version +develocity-enforce-url +develocity-injection-enabled +develocity-plugin-version +develocity-token-expiry +develocity-url +generate-job-summary +gradle-home-cache-strict-match +gradle-plugin-repository-password +gradle-plugin-repository-url +gradle-plugin-repository-username +validate-wrappers |',
      'v4.4.4 v5.0.2 | -build-root-directory -build-scan-terms-of-service-agree -build-scan-terms-of-service-url -generate-job-summary +allow-snapshot-wrappers +cache-cleanup +dependency-graph-exclude-configurations +dependency-graph-exclude-projects +dependency-graph-include-configurations +dependency-graph-include-projects +dependency-graph-report-dir |',
      'v6.3.0 | +cache-provider |',
    ],
  },
  {
    action: 'gradle/actions/wrapper-validation',
    releases: ['v3.5.0 v4.4.4 v5.0.2 v6.3.0 | allow-checksums allow-snapshots min-wrapper-count | failed-wrapper'],
  },
  {
    action: 'gradle/gradle-build-action',
    releases: [
      'v1.5.1 | arguments build-root-directory cache-read-only configuration-cache-enabled configuration-cache-exact configuration-cache-key dependencies-cache-enabled dependencies-cache-exact dependencies-cache-key distributions-cache-enabled gradle-executable gradle-version wrapper-cache-enabled~ wrapper-directory~ | build-scan-url',
      'v2.12.0 | -configuration-cache-enabled -configuration-cache-exact -configuration-cache-key -dependencies-cache-enabled -dependencies-cache-exact -dependencies-cache-key -distributions-cache-enabled -wrapper-cache-enabled~ -wrapper-directory~ +artifact-retention-days +cache-disabled +cache-overwrite-existing +cache-write-only +dependency-graph +generate-job-summary +github-token +gradle-home-cache-cleanup +gradle-home-cache-excludes +gradle-home-cache-includes +gradle-home-cache-strict-match +workflow-job-context | +dependency-graph-file +gradle-version',
      'v3.5.0 | -gradle-executable +add-job-summary +add-job-summary-as-pr-comment +build-scan-publish +build-scan-terms-of-service-agree +build-scan-terms-of-service-url +build-scan-terms-of-use-agree +build-scan-terms-of-use-url +cache-encryption-key +dependency-graph-continue-on-failure +develocity-access-key +develocity-allow-untrusted-server +develocity-capture-file-fingerprints +develocity-ccud-plugin-version +develocity-enforce-url +develocity-injection-enabled +develocity-plugin-version +develocity-token-expiry +develocity-url +gradle-plugin-repository-password +gradle-plugin-repository-url +gradle-plugin-repository-username +validate-wrappers |',
    ],
    deprecated: {
      'wrapper-cache-enabled':
        "Replaced by 'distributions-cache-enabled' which enables caching for all downloaded Gradle distributions",
      'wrapper-directory': "Use 'gradle-executable' to point to a gradlew[.bat] file in a non-default location",
    },
  },
  {
    action: 'hadolint/hadolint-action',
    releases: [
      'v1.7.0 v2.1.0 | config dockerfile failure-threshold format ignore no-color no-fail output-file override-error override-info override-style override-warning recursive trusted-registries verbose |',
    ],
  },
  {
    action: 'hashicorp/setup-terraform',
    releases: [
      'v1.4.0 v2.0.3 v3.1.2 v4.0.1 | cli_config_credentials_hostname cli_config_credentials_token terraform_version terraform_wrapper |',
    ],
  },
  {
    action: 'hashicorp/vault-action',
    releases: [
      'v0.10.2 v1.0.1 | authpayload exportenv extraheaders githubtoken kv-version method namespace path roleid secretid secrets! token url! |',
      'v2.8.1 | -kv-version -secrets! +cacertificate +clientcertificate +clientkey +exporttoken +ignorenotfound +jwtgithubaudience +jwtkeypassword +jwtprivatekey +jwtttl +kubernetestokenpath +outputtoken +password +role +secretencodingtype +secrets +tlsskipverify +username |',
    ],
  },
  { action: 'hecrj/setup-rust-action', releases: ['v1.4.1 | components rust-version targets |'] },
  {
    action: 'helm/kind-action',
    releases: [
      'v1.14.0 | cloud_provider cluster_name config ignore_failed_clean install_only kubeconfig kubectl_version node_image registry registry_enable_delete registry_image registry_name registry_port verbosity version wait |',
    ],
  },
  {
    action: 'hmarr/auto-approve-action',
    releases: ['v2.4.0 v3.2.1 | github-token pull-request-number review-message |'],
  },
  { action: 'imjasonh/setup-crane', releases: ['v0.5 | version |'] },
  {
    action: 'isort/isort-action',
    releases: ['v0.1.0 | configuration isortversion requirementsfiles sortpaths | isort-result'],
  },
  {
    action: 'jamesives/github-pages-deploy-action',
    releases: [
      '2.0.3 |  |',
      '3.7.1 | +access_token +base_branch +branch! +clean +clean_exclude +commit_message +folder! +git_config_email +git_config_name +github_token +lfs +preserve +repository_name +silent +single_commit +ssh +target_folder +workspace | +deployment_status',
    ],
  },
  {
    action: 'jdx/mise-action',
    releases: [
      'v1.3.2 | cache cache_key_prefix cache_save experimental install install_dir rtx_dir rtx_toml tool_versions version | cache-hit',
      'v2.4.4 | -rtx_dir -rtx_toml +fetch_from_github +github_token +install_args +log_level +mise_dir +mise_toml +reshim +sha256 +working_directory |',
      'v3.6.3 | +add_shims_to_path +cache_key +env |',
      'v4.2.5 | +bootstrap +bootstrap_args +bootstrap_skip +export_path +wings_enabled |',
    ],
  },
  { action: 'ko-build/setup-ko', releases: ['v0.10 | use-sudo version |'] },
  {
    action: 'korthout/backport-action',
    releases: [
      'v0.0.9 | github_token! github_workspace! label_pattern pull_description pull_title version |',
      'v1.4 | -github_token! -github_workspace! -version +copy_labels_pattern +github_token +github_workspace +merge_commits +target_branches | +was_successful +was_successful_by_target',
      'v2.5 | +branch_name +copy_assignees +copy_milestone +copy_requested_reviewers +experimental | +created_pull_numbers',
      'v3.4.1 | +add_author_as_assignee +add_labels +auto_merge_enabled +auto_merge_method +cherry_picking +git_committer_email +git_committer_name +source_pr_number |',
      'v4.6 | +add_author_as_reviewer +add_reviewers +add_team_reviewers +cherry_picking_merge_mode +comment_style +copy_all_reviewers |',
    ],
  },
  {
    action: 'lycheeverse/lychee-action',
    releases: [
      'v1.10.0 | args debug fail format jobsummary lycheeversion output token | exit_code',
      'v2.8.0 | +checkbox +failifempty +workingdirectory |',
    ],
  },
  {
    action: 'marocchino/sticky-pull-request-comment',
    releases: [
      'v1.6.0 | append delete github_token! header message number path recreate |',
      'v2.9.4 | -github_token! +follow_symbolic_links +github_token +hide +hide_and_recreate +hide_classify +hide_details +ignore_empty +only_create +only_update +owner +repo +skip_unchanged | +created_comment_id +previous_comment_id',
      'v3.0.5 | +number_force |',
    ],
  },
  {
    action: 'microsoft/setup-msbuild',
    releases: ['v1.3.3 v2 v3 | msbuild-architecture vs-prerelease vs-version vswhere-path | msbuildpath'],
  },
  {
    action: 'mikepenz/action-junit-report',
    releases: [
      'v2.9.1 | check_name commit exclude_sources fail_on_failure github_token! include_passed report_paths require_tests suite_regex summary token update_check |',
      'v3.8.0 | -github_token! +annotate_notice +annotate_only +annotations_limit +check_retries +check_title_template +detailed_summary +follow_symlink +github_token +job_name +job_summary +require_passed_tests +test_files_prefix +transformers |',
      'v4.3.1 | +check_annotations +truncate_stack_traces | +detailed_summary +failed +passed +skipped +summary +total',
      'v5.6.2 | -suite_regex +bread_crumb_delimiter +comment +fail_on_parse_error +flaky_summary +group_reports +group_suite +include_empty_in_summary +include_time_in_summary +pr_id +resolve_ignore_classname +simplified_summary +skip_annotations +skip_comment_without_tests +skip_success_summary +updatecomment +verbose_summary | +flaky_summary +time',
      'v6.4.2 | +include_skipped +job_summary_text | +report_url',
    ],
  },
  {
    action: 'mlugg/setup-zig',
    releases: ['v1.2.2 | mirror use-cache version |', 'v2.2.1 | +cache-key +cache-size-limit +use-tool-cache |'],
  },
  {
    action: 'moonrepo/setup-rust',
    releases: [
      'v0.6.1 | bins cache cache-target channel components inherit-toolchain profile targets | cache-hit cache-key rust-hash rust-version',
      'v1.3 | +cache-base +cache-extra-identifier +target-dirs |',
    ],
  },
  {
    action: 'mxschmitt/action-tmate',
    releases: [
      'v1 | github-token install-dependencies limit-access-to-actor sudo tmate-server-ed25519-fingerprint tmate-server-host tmate-server-port tmate-server-rsa-fingerprint |',
      'v2 | -github-token -install-dependencies -limit-access-to-actor -sudo -tmate-server-ed25519-fingerprint -tmate-server-host -tmate-server-port -tmate-server-rsa-fingerprint |',
      'v3.23 | +connect-timeout-seconds +detached +github-token +install-dependencies +limit-access-to-actor +msys2-location +sudo +tmate-server-ed25519-fingerprint +tmate-server-host +tmate-server-port +tmate-server-rsa-fingerprint | +ssh-address +ssh-command +web-url',
    ],
  },
  {
    action: 'ncipollo/release-action',
    releases: [
      'v1.21.0 | allowupdates artifactcontenttype artifacterrorsfailbuild artifacts artifact~ body bodyfile commit discussioncategory draft generatereleasenotes generatereleasenotesprevioustag immutablecreate makelatest name omitbody omitbodyduringupdate omitdraftduringupdate omitname omitnameduringupdate omitprereleaseduringupdate owner prerelease removeartifacts replacesartifacts repo skipifreleaseexists tag token updateonlyunreleased | assets html_url id tarball_url upload_url zipball_url',
    ],
    deprecated: { artifact: "Use 'artifacts' instead." },
  },
  {
    action: 'nick-fields/retry',
    releases: [
      'v1.0.4 | command! max_attempts polling_interval_seconds retry_wait_seconds timeout_minutes! |',
      'v2.9.0 v3.0.2 v4 | -timeout_minutes! +continue_on_error +new_command_on_retry +on_retry_command +retry_on +retry_on_exit_code +shell +timeout_minutes +timeout_seconds +warning_on_retry | +exit_code +exit_error +total_attempts',
    ],
  },
  {
    action: 'nrwl/nx-set-shas',
    releases: [
      'v1.0.1 | error-on-no-matching-tags main-branch-name set-environment-variables-for-job tag-match-pattern | base head',
      'v2.2.7 v3.3.2 | -error-on-no-matching-tags -tag-match-pattern +error-on-no-successful-workflow +last-successful-event +workflow-id +working-directory | +nopreviousbuild',
      'v4.4 v5.0.1 | +fallback-sha +gh-token +remote +use-previous-merge-group-commit |',
    ],
  },
  {
    action: 'nuget/setup-nuget',
    releases: ['v1.2 v2.0.2 v3.1 v4 | nuget-api-key nuget-api-key-source nuget-version |'],
  },
  {
    action: 'openai/codex-action',
    releases: [
      'v1.8 | allow-bot-users allow-bots allow-users codex-args codex-home codex-user codex-version effort model openai-api-key output-file output-schema output-schema-file prompt prompt-file responses-api-endpoint safety-strategy sandbox working-directory | final-message',
    ],
  },
  {
    action: 'opentofu/setup-opentofu',
    releases: [
      'v1.0.8 | cache cli_config_credentials_hostname cli_config_credentials_token github_token tofu_version tofu_version_file tofu_wrapper | exitcode stderr stdout',
      'v2.0.2 | +checksums +provider_acceptance_tests |',
    ],
  },
  {
    action: 'ossf/scorecard-action',
    releases: [
      'v0.0.2 | publish_results repo_token results_file! results_format! |',
      'v1.1.2 | +internal_default_token |',
      'v2.4.4 | +file_mode +internal_publish_base_url |',
    ],
  },
  {
    action: 'oven-sh/setup-bun',
    releases: [
      'v0.1.8 | bun-version custom-download-url github-token misc-test-builds repository | bun-version',
      'v1.2.2 | -custom-download-url -github-token -misc-test-builds -repository +bun-download-url +no-cache +registry-url +scope | +bun-revision +cache-hit',
      'v2.2.0 | -registry-url -scope +bun-version-file +registries +registry-url~ +scope~ +token | +bun-download-url +bun-path',
    ],
    deprecated: { 'registry-url': "Use 'registries' input instead.", scope: "Use 'registries' input instead." },
  },
  {
    action: 'peaceiris/actions-gh-pages',
    releases: [
      'v2.10.1 | commitmessage emptycommits forceorphan keepfiles tagmessage tagname tagoverwrite useremail username |',
      'v3.9.3 v4.1.0 | -commitmessage -emptycommits -forceorphan -keepfiles -tagmessage -tagname -tagoverwrite -useremail -username +allow_empty_commit +cname +commit_message +deploy_key +destination_dir +disable_nojekyll +enable_jekyll +exclude_assets +external_repository +force_orphan +full_commit_message +github_token +keep_files +personal_token +publish_branch +publish_dir +tag_message +tag_name +user_email +user_name |',
    ],
  },
  {
    action: 'peter-evans/create-or-update-comment',
    releases: [
      'v1.4.5 | body comment-id edit-mode issue-number reaction-type reactions repository token | comment-id',
      'v2.1.1 | +body-file |',
      'v3.1.0 v4 v5 | -reaction-type +append-separator +body-path +reactions-edit-mode |',
    ],
  },
  {
    action: 'peter-evans/create-pull-request',
    releases: [
      'v4.2.4 | add-paths assignees author base body branch branch-suffix commit-message committer delete-branch draft labels milestone path push-to-fork reviewers signoff team-reviewers title token | pull-request-head-sha pull-request-number pull-request-operation pull-request-url',
      'v5.0.3 | +body-path |',
      'v6.1.0 | +git-token | +pull-request-branch',
      'v7.0.11 v8.1.1 | -git-token +branch-token +maintainer-can-modify +sign-commits |',
    ],
  },
  {
    action: 'peter-evans/find-comment',
    releases: [
      'v1.3.0 | body-includes comment-author direction issue-number repository token | comment-author comment-body comment-id',
      'v2.4.0 | +body-regex +nth |',
      'v3.1.0 v4 |  | +comment-node-id',
    ],
  },
  {
    action: 'peter-evans/repository-dispatch',
    releases: ['v1.1.3 | client-payload event-type! repository token! |', 'v2.1.2 v3 v4.0.1 | -token! +token |'],
  },
  {
    action: 'pnpm/action-setup',
    releases: [
      'v1 | bin_dest dest registry version! |',
      'v2.4.1 v3.0.0 | -bin_dest -registry -version! +package_json_file +run_install +standalone +version |',
    ],
  },
  {
    action: 'pnpm/setup',
    releases: [
      'v0 | cache cache-dependency-path dest package-json-file runtime version | bin-dest dest runtime-name runtime-version',
      'v1 | +install |',
      'v2.0.2 | +token~ |',
    ],
    deprecated: { token: 'The token input is no longer used; pnpm is fetched from the npm registry.' },
  },
  { action: 'pre-commit/action', releases: ['v1.1.1 v2.0.3 | extra_args token |'] },
  {
    action: 'pulumi/actions',
    releases: [
      'v3.21.0 | cloud-url color command! comment-on-pr comment-on-pr-number config-map diff edit-pr-comment expect-no-changes github-token message parallel policypackconfigs policypacks pulumi-version refresh remove replace secrets-provider stack-name! target target-dependents upsert work-dir | output',
      'v4.5.1 | -command! -stack-name! +command +comment-on-summary +exclude-protected +plan +stack-name |',
      'v5.5.1 | +always-include-summary +pulumi-version-file +suppress-outputs +suppress-progress |',
      'v6.6.1 v7 | +continue-on-error +debug +exclude +exclude-dependents +log-flow +log-verbosity |',
    ],
  },
  {
    action: 'pyo3/maturin-action',
    releases: [
      'v1.51.0 | args before-script-linux command container docker-options host-home-mount manylinux maturin-version rust-toolchain rustup-components sccache target token working-directory |',
    ],
  },
  { action: 'r-lib/actions/setup-pandoc', releases: ['v1.0.2 | pandoc-version |'] },
  {
    action: 'r-lib/actions/setup-r',
    releases: [
      'v1.0.2 | crayon.enabled extra-repositories http-user-agent install-r ncpus r-version remove-openmp-macos rtools-version update-rtools use-public-rspm windows-path-include-mingw | installed-r-version',
    ],
  },
  {
    action: 'r-lib/actions/setup-r-dependencies',
    releases: ['v1.0.2 | cache-version extra-packages needs pak-version |'],
  },
  {
    action: 'release-drafter/release-drafter',
    releases: [
      'v5.25.0 | commitish config-name disable-autolabeler disable-releaser footer header latest name prerelease prerelease-identifier publish tag version | body html_url id major_version minor_version name patch_version resolved_version tag_name upload_url',
      'v6.4.0 | +include-pre-releases +initial-commits-since |',
      'v7.7.0 | -disable-autolabeler -disable-releaser -initial-commits-since +dry-run +filter-by-range +token |',
    ],
  },
  {
    action: 'release-plz/action',
    releases: [
      'v0.5.131 | backend command config dry_run forge manifest_path project_manifest registry token verbose version | pr prs prs_created releases releases_created',
    ],
  },
  { action: 'reviewdog/action-setup', releases: ['v1.5 | reviewdog_version |'] },
  { action: 'rtcamp/action-slack-notify', releases: ['v2.4.0 |  |'] },
  {
    action: 'ruby/setup-ruby',
    releases: [
      'v1.315.0 | bundler bundler-cache cache-version ruby-version rubygems self-hosted token windows-toolchain working-directory | ruby-prefix',
    ],
  },
  { action: 'rust-lang/crates-io-auth-action', releases: ['v1.0.5 | url | token'] },
  { action: 'semgrep/semgrep-action', releases: ['v0.58.0 v1 | config publishtoken |'] },
  {
    action: 'shivammathur/setup-php',
    releases: [
      '1.11.7 | coverage extension-csv~ extensions ini-values ini-values-csv~ pecl~ php-version tools |',
      '2.37.2 | -extension-csv~ -ini-values-csv~ -pecl~ +github-token +ini-file +php-version-file | +php-version',
    ],
    deprecated: {
      'extension-csv': 'The extension-csv property is deprecated. Use extensions instead.',
      'ini-values-csv': 'The ini-values-csv property is deprecated. Use ini-values instead.',
      pecl: 'The pecl property is deprecated. Specify pecl in tools instead.',
    },
  },
  {
    action: 'sigstore/cosign-installer',
    releases: ['v0.1.0 v1.4.1 | cosign-release |', 'v2.8.1 v3 v4.1.2 | +install-dir +use-sudo |'],
  },
  {
    action: 'slackapi/slack-github-action',
    releases: [
      'v1.27.1 | channel-id payload payload-delimiter payload-file-path payload-file-path-parsed slack-message update-ts | channel_id thread_ts time ts',
      'v2.1.1 v3.0.5 v4 | -channel-id -payload-file-path-parsed -slack-message -update-ts +api +errors +method +payload-templated +proxy +retries +token +webhook +webhook-type | +ok +response',
    ],
  },
  {
    action: 'softprops/action-gh-release',
    releases: [
      'v0.1.15 v1 | append_body body body_path discussion_category_name draft fail_on_unmatched_files files generate_release_notes name prerelease repository tag_name target_commitish token | assets id upload_url url',
      'v2.6.2 v3 | +make_latest +overwrite_files +preserve_order +previous_tag +working_directory |',
    ],
  },
  {
    action: 'sonarsource/sonarqube-scan-action',
    releases: [
      'v4.2.2 v5.3.2 v6 | args projectbasedir scannerbinariesurl scannerversion |',
      'v7.2.1 | +skipsignatureverification |',
      'v8.2.1 | +scannerbinariesauthheader |',
    ],
  },
  {
    action: 'sorenlouv/backport-github-action',
    releases: [
      'v1.0.41 | access_token backport_label_pattern pr_title skip_backport_check skip_backport_check_label target_pr_labels |',
      'v7.4.0 | -access_token -backport_label_pattern -pr_title -skip_backport_check -skip_backport_check_label -target_pr_labels +auto_backport_label_prefix +github_token! +repo_fork_owner |',
      'v8.9.7 v9.5.1 | +add_original_reviewers |',
    ],
  },
  {
    action: 'stefanzweifel/git-auto-commit-action',
    releases: [
      'v3 | branch commit_author commit_message! commit_options commit_user_email commit_user_name file_pattern repository |',
      'v4.16.0 | -commit_message! +add_options +commit_message +create_branch +disable_globbing +internal_git_binary +push_options +skip_checkout +skip_dirty_check +skip_fetch +status_options +tagging_message | +changes_detected +commit_hash',
      'v5.2.0 v6.0.1 | +create_git_tag_only | +create_git_tag_only',
      'v7.2.0 | +after_add_hook +after_commit_hook +after_push_hook +after_tag_hook +before_add_hook +before_commit_hook +before_push_hook +before_tag_hook +disable_pull_request_target_trigger_warning +skip_push +tag_name |',
    ],
  },
  {
    action: 'step-security/harden-runner',
    releases: [
      'v0.4.0 | allowed-endpoints |',
      'v1.5.0 | +disable-telemetry +egress-policy +token |',
      'v2.20.1 | +api-key +deploy-on-self-hosted-vm +disable-file-monitoring +disable-sudo +disable-sudo-and-containers +policy +use-policy-store |',
    ],
  },
  {
    action: 'styfle/cancel-workflow-action',
    releases: ['0.13.1 | access_token all_but_latest force_cancel ignore_sha only_status workflow_id |'],
  },
  {
    action: 'subosito/flutter-action',
    releases: [
      'v1.5.3 | channel flutter-version |',
      'v2.23.0 | +architecture +cache +cache-key +cache-path +dry-run +flutter-version-file +git-source +pub-cache +pub-cache-key +pub-cache-path | +architecture +cache-hit +cache-key +cache-path +channel +git_source +pub-cache-hit +pub-cache-key +pub-cache-path +version',
    ],
  },
  { action: 'supabase/setup-cli', releases: ['v1.6.0 v2.0.0 | version | version'] },
  { action: 'super-linter/super-linter', releases: ['v4 v5.7.2 v6.9.0 v7.4.0 v8.7.0 |  |'] },
  { action: 'super-linter/super-linter/slim', releases: ['v4 v5.7.2 v6.9.0 v7.4.0 v8.7.0 |  |'] },
  { action: 'superfly/flyctl-actions', releases: ['1.6 |  |'] },
  {
    action: 'swatinem/rust-cache',
    releases: [
      'v1.4.0 | cache-on-failure key sharedkey target-dir working-directory | cache-hit',
      'v2.9.2 | -sharedkey -target-dir -working-directory +add-job-id-key +add-rust-environment-hash-key +cache-all-crates +cache-bin +cache-directories +cache-provider +cache-targets +cache-workspace-crates +cmd-format +env-vars +lookup-only +prefix-key +save-if +shared-key +workspaces |',
    ],
  },
  {
    action: 'swift-actions/setup-swift',
    releases: ['v0.1.0 | swift-version |', 'v1.26.0 v2.4.0 |  | +version', 'v3 | +skip-verify-signature |'],
  },
  { action: 'taiki-e/install-action', releases: ['v1.17.3 | tool! |', 'v2.86.5 | +checksum +fallback |'] },
  {
    action: 'terraform-linters/setup-tflint',
    releases: [
      'v2.0.1 | github_token tflint_version |',
      'v3.1.1 | +tflint_wrapper | +exitcode +stderr +stdout',
      'v4.1.1 v5 | +checksums |',
      'v6.3 | +cache +plugin_dir +tflint_config_path +tflint_version_file | +cache-hit +tflint-version',
    ],
  },
  {
    action: 'themrmilchmann/setup-msvc-dev',
    releases: [
      'v1.0.1 v2.0.2 v3.0.2 v4.1.0 | arch export-path-to-vcvarsall export-path-to-vs sdk spectre toolset uwp vs-path |',
    ],
  },
  {
    action: 'thollander/actions-comment-pull-request',
    releases: [
      'v1.6.0 | comment_includes github_token message! pr_number reactions |',
      'v2.5.0 | -comment_includes -message! +comment_tag +create_if_not_exists +filepath +message +mode |',
    ],
  },
  {
    action: 'tibdex/github-app-token',
    releases: [
      'v1.9 | app_id! github_api_url installation_id permissions private_key! repository | token',
      'v2.1 | -installation_id -repository +installation_retrieval_mode +installation_retrieval_payload +repositories +revoke |',
    ],
  },
  {
    action: 'tj-actions/changed-files',
    releases: [
      'v43.0.1 v44 | api_url base_sha diff_relative dir_names dir_names_deleted_files_include_only_deleted_dirs dir_names_exclude_current_dir dir_names_include_files dir_names_include_files_separator dir_names_max_depth escape_json fail_on_initial_diff_error fail_on_submodule_diff_error fetch_additional_submodule_history fetch_depth files files_from_source_file files_from_source_file_separator files_ignore files_ignore_from_source_file files_ignore_from_source_file_separator files_ignore_separator files_ignore_yaml files_ignore_yaml_from_source_file files_ignore_yaml_from_source_file_separator files_separator files_yaml files_yaml_from_source_file files_yaml_from_source_file_separator include_all_old_new_renamed_files json matrix negation_patterns_first old_new_files_separator old_new_separator output_dir output_renamed_files_as_deleted_and_added path quotepath recover_deleted_files recover_deleted_files_to_destination recover_files recover_files_ignore recover_files_ignore_separator recover_files_separator safe_output separator sha since since_last_remote_commit skip_initial_fetch token until use_rest_api write_output_files | added_files added_files_count all_changed_and_modified_files all_changed_and_modified_files_count all_changed_files all_changed_files_count all_modified_files all_modified_files_count all_old_new_renamed_files all_old_new_renamed_files_count any_changed any_deleted any_modified changed_keys copied_files copied_files_count deleted_files deleted_files_count modified_files modified_files_count modified_keys only_changed only_deleted only_modified other_changed_files other_changed_files_count other_deleted_files other_deleted_files_count other_modified_files other_modified_files_count renamed_files renamed_files_count type_changed_files type_changed_files_count unknown_files unknown_files_count unmerged_files unmerged_files_count',
      'v45.0.9 v46.0.5 | +exclude_submodules +fetch_missing_history_max_retries +tags_ignore_pattern +tags_pattern +use_posix_path_separator |',
      'v47 |  | +any_added',
    ],
  },
  { action: 'trufflesecurity/trufflehog', releases: ['v3.97.0 | base extra_args head image path version |'] },
  {
    action: 'ts-graphviz/setup-graphviz',
    releases: [
      'v1.2 | macos-skip-brew-update ubuntu-graphviz-version ubuntu-libgraphvizdev-version ubuntu-skip-apt-update windows-graphviz-version |',
    ],
  },
  {
    action: 'wagoid/commitlint-github-action',
    releases: [
      'v1.8.0 | configfile failonwarnings firstparent helpurl | results',
      'v2.2.5 v3.1.4 v4.1.15 | +token |',
      'v5.5.1 | -firstparent +commitdepth +failonerrors |',
    ],
  },
] as const satisfies readonly ActionInterfaces[];
