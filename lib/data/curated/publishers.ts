/** `package`: to a package registry; `image`: to a container registry; `release`: files for users; `deploy`: to a runtime environment. */
export type PublishKind = 'package' | 'image' | 'release' | 'deploy' | 'attest' | 'sign';

export const PUBLISHING_ACTIONS: Readonly<Record<string, PublishKind>> = {
  'actions/attest': 'attest',
  'actions/attest-build-provenance': 'attest',
  'actions/attest-sbom': 'attest',
  'actions/create-release': 'release',
  'actions/deploy-pages': 'deploy',
  'actions/publish-immutable-action': 'package',
  'actions/upload-release-asset': 'release',
  'akhileshns/heroku-deploy': 'deploy',
  'amondnet/vercel-action': 'deploy',
  'apple-actions/upload-testflight-build': 'deploy',
  'aws-actions/amazon-ecs-deploy-task-definition': 'deploy',
  'aws-actions/aws-cloudformation-github-deploy': 'deploy',
  'aws-actions/aws-lambda-deploy': 'deploy',
  'azure/aks-deploy': 'deploy',
  'azure/arm-deploy': 'deploy',
  'azure/bicep-deploy': 'deploy',
  'azure/container-apps-deploy-action': 'deploy',
  'azure/functions-action': 'deploy',
  'azure/k8s-deploy': 'deploy',
  'azure/static-web-apps-deploy': 'deploy',
  'azure/webapps-deploy': 'deploy',
  'burnett01/rsync-deployments': 'deploy',
  'cloudflare/pages-action': 'deploy',
  'cloudflare/wrangler-action': 'deploy',
  'crazy-max/ghaction-github-pages': 'deploy',
  'cycjimmy/semantic-release-action': 'package',
  'denoland/deployctl': 'deploy',
  'dflook/terraform-apply': 'deploy',
  'digitalocean/app_action/deploy': 'deploy',
  'easingthemes/ssh-deploy': 'deploy',
  'firebaseextended/action-hosting-deploy': 'deploy',
  'google-github-actions/deploy-appengine': 'deploy',
  'google-github-actions/deploy-cloud-functions': 'deploy',
  'google-github-actions/deploy-cloudrun': 'deploy',
  'google-github-actions/upload-cloud-storage': 'deploy',
  'haaleo/publish-vscode-extension': 'package',
  'helm/chart-releaser-action': 'package',
  'jakejarvis/s3-sync-action': 'deploy',
  'jamesives/github-pages-deploy-action': 'deploy',
  'js-devtools/npm-publish': 'package',
  'katyo/publish-crates': 'package',
  'ncipollo/release-action': 'release',
  'nwtgck/actions-netlify': 'deploy',
  'peaceiris/actions-gh-pages': 'deploy',
  'pypa/gh-action-pypi-publish': 'package',
  'python-semantic-release/python-semantic-release': 'release',
  'r0adkll/upload-google-play': 'deploy',
  'redhat-actions/push-to-registry': 'image',
  'release-plz/action': 'package',
  'rubygems/release-gem': 'package',
  'samkirkland/ftp-deploy-action': 'deploy',
  'serverless/github-action': 'deploy',
  'sigstore/gh-action-sigstore-python': 'sign',
  'snapcore/action-publish': 'package',
  'softprops/action-gh-release': 'release',
  'svenstaro/upload-release-action': 'release',
  'wzieba/firebase-distribution-github-action': 'deploy',
};

export interface PublishingCall {
  readonly call: RegExp;
  readonly kind: PublishKind;
  /** `cluster`: counts only in a job that selects a cluster. `infrastructure`: does not count in a test job, which destroys what it sets up. */
  readonly where?: 'cluster' | 'infrastructure';
}

const GRADLE: readonly PublishingCall[] = [
  {
    // Tasks for a build's own named repositories are excluded: they usually publish to folders.
    call: /(?:^|[\s:])(?<verb>publish|publish\w{0,100}To(?:Sonatype|MavenCentral|Ossrh|Central|GitHubPackages|Modrinth|CurseForge)\w{0,100}|publishPlugins?|publishAndReleaseToMavenCentral|uploadArchives|closeAndRelease\w*Repository|jreleaser(?:Deploy|Publish|Upload)|bintrayUpload)(?=\s|$)/i,
    kind: 'package',
  },
  { call: /(?:^|[\s:])(?<verb>jreleaser(?:FullRelease|Release))(?=\s|$)/, kind: 'release' },
  { call: /(?:^|[\s:])(?<verb>jib|dockerPush\w*|dockerBuildAndPush\w*)(?=\s|$)/, kind: 'image' },
];

const MAVEN: readonly PublishingCall[] = [
  {
    call: /^(?!.*DeploymentRepository=\S{0,200}file:).*(?:^|\s)(?<verb>deploy|deploy:deploy|release:perform)(?:\s|$)/,
    kind: 'package',
  },
  { call: /(?:^|\s)(?<verb>(?:com\.google\.cloud\.tools:jib-maven-plugin\S*|jib):build)(?:\s|$)/, kind: 'image' },
];

const TERRAFORM: readonly PublishingCall[] = [
  { call: /^(?:-chdir\S* )?(?:run-all )?(?<verb>apply)\b/, kind: 'deploy', where: 'infrastructure' },
];
const COPY_TO_HOST: readonly PublishingCall[] = [{ call: /\s\S[^\s@]*@\S[^\s:]*:\S*$/, kind: 'deploy' }];
const DART: readonly PublishingCall[] = [{ call: /^pub (?:publish|lish)\b(?!.*\s-n\b)/, kind: 'package' }];
const IMAGE_PUSH: readonly PublishingCall[] = [{ call: /^(?:push|manifest push)\b/, kind: 'image' }];
const IMAGE_COPY: readonly PublishingCall[] = [
  { call: /^(?:push|copy|cp|append|mutate|index append)\b/, kind: 'image' },
];
const SERVERLESS: readonly PublishingCall[] = [{ call: /^deploy\b/, kind: 'deploy', where: 'infrastructure' }];

export const PUBLISHING_COMMANDS: Readonly<Record<string, readonly PublishingCall[]>> = {
  anaconda: [{ call: /^upload\b/, kind: 'package' }],
  aws: [
    { call: /^s3 (?:cp|sync|mv) (?:-\S+ )*(?!s3:)\S+ s3:\/\//, kind: 'deploy' },
    {
      call: /^(?:cloudformation deploy|lambda update-function-code|ecs update-service|amplify start-deployment)\b/,
      kind: 'deploy',
    },
  ],
  az: [
    {
      call: /^(?:webapp|functionapp) (?:deploy\b|deployment source|up\b)|^(?:containerapp (?:up|update)|deployment \w+ create|storage blob (?:upload|sync))/,
      kind: 'deploy',
    },
    { call: /^acr build\b/, kind: 'image' },
  ],
  buildah: IMAGE_PUSH,
  bun: [{ call: /^publish\b/, kind: 'package' }],
  bundle: [{ call: /^exec rake release(?![:\w-])/, kind: 'package' }],
  cabal: [{ call: /^upload\b.*\s--publish\b/, kind: 'package' }],
  cargo: [
    { call: /^(?:\+\S+ )?(?:publish|(?:workspaces|ws) publish)\b/, kind: 'package' },
    { call: /^(?:\+\S+ )?release\b.*\s(?:--execute|-x)\b/, kind: 'package' },
  ],
  cdk: [{ call: /^deploy\b/, kind: 'deploy', where: 'infrastructure' }],
  changeset: [{ call: /^publish\b/, kind: 'package' }],
  choco: [{ call: /^push\b/, kind: 'package' }],
  conan: [{ call: /^upload\b/, kind: 'package' }],
  cosign: [{ call: /^(?:sign|sign-blob|attest)\b/, kind: 'sign' }],
  crane: IMAGE_COPY,
  dart: DART,
  deno: [{ call: /^publish\b/, kind: 'package' }],
  jsr: [{ call: /^publish\b/, kind: 'package' }],
  deployctl: [{ call: /^deploy\b.*\s--prod\b/, kind: 'deploy' }],
  docker: [
    { call: /^(?:image |compose |manifest )?push\b/, kind: 'image' },
    { call: /^(?:buildx )?(?:build|bake)\b.*\s--push\b/, kind: 'image' },
    { call: /^buildx imagetools create\b.*\s(?:-t|--tag)\b/, kind: 'image' },
  ],
  'docker-compose': [{ call: /^push\b/, kind: 'image' }],
  doctl: [{ call: /^apps (?:create-deployment|update)\b/, kind: 'deploy' }],
  dotnet: [{ call: /^nuget push\b/, kind: 'package' }],
  eas: [{ call: /^(?:submit|update|deploy)\b/, kind: 'deploy' }],
  eb: [{ call: /^deploy\b/, kind: 'deploy' }],
  fastlane: [{ call: /(?:^|\s)(?:deliver|pilot|supply|upload_to_\w+)\b/, kind: 'deploy' }],
  firebase: [{ call: /^deploy\b/, kind: 'deploy' }],
  flit: [{ call: /^publish\b/, kind: 'package' }],
  flutter: DART,
  fly: [{ call: /^deploy\b/, kind: 'deploy' }],
  flyctl: [{ call: /^deploy\b/, kind: 'deploy' }],
  gcloud: [
    {
      call: /^(?:beta |alpha )?(?:run deploy|app deploy|functions deploy|run services (?:update|replace)|run jobs (?:deploy|update))\b/,
      kind: 'deploy',
    },
    { call: /^storage (?:cp|rsync|mv)\b.*\s(?!gs:)\S+ gs:\/\/\S*$/, kind: 'deploy' },
  ],
  gem: [{ call: /^push\b/, kind: 'package' }],
  gh: [{ call: /^release (?:create|upload)\b/, kind: 'release' }],
  goreleaser: [{ call: /^(?:release\b(?!.*--snapshot)|publish\b|continue\b)/, kind: 'release' }],
  gradle: GRADLE,
  gradlew: GRADLE,
  'gradlew.bat': GRADLE,
  gsutil: [{ call: /^\s*(?:(?!(?:cp|rsync|mv)\b)\S+\s+)*(?:cp|rsync|mv)\b.*\s(?!gs:)\S+ gs:\/\/\S*$/, kind: 'deploy' }],
  hatch: [{ call: /^publish\b/, kind: 'package' }],
  helm: [
    { call: /^push\b/, kind: 'package' },
    { call: /^(?:-\S+(?: [^-\s]\S*)? )*(?<verb>upgrade|install)\b/, kind: 'deploy', where: 'cluster' },
  ],
  heroku: [{ call: /^container:(?:push|release)\b/, kind: 'deploy' }],
  kubectl: [
    {
      call: /^(?:-\S+(?: [^-\s]\S*)? )*(?<verb>apply|replace|set image|rollout restart)\b/,
      kind: 'deploy',
      where: 'cluster',
    },
  ],
  lerna: [{ call: /^publish\b/, kind: 'package' }],
  luarocks: [{ call: /^upload\b/, kind: 'package' }],
  maturin: [{ call: /^(?:publish|upload)\b/, kind: 'package' }],
  mike: [{ call: /^(?:deploy|alias|set-default)\b.*\s(?:--push|-p)\b/, kind: 'deploy' }],
  mix: [{ call: /^hex\.publish\b/, kind: 'package' }],
  mkdocs: [{ call: /^gh-deploy\b/, kind: 'deploy' }],
  mvn: MAVEN,
  mvnw: MAVEN,
  netlify: [{ call: /^deploy\b.*--prod/, kind: 'deploy' }],
  npm: [{ call: /^publish\b/, kind: 'package' }],
  nuget: [{ call: /^push\b/, kind: 'package' }],
  nx: [{ call: /^release\b(?!.*\s--skip-publish\b)(?! (?:version|changelog)\b)/, kind: 'package' }],
  oras: IMAGE_COPY,
  ovsx: [{ call: /^publish\b/, kind: 'package' }],
  pdm: [{ call: /^publish\b/, kind: 'package' }],
  pnpm: [{ call: /^(?:-r |--recursive |-\S+ )?publish\b/, kind: 'package' }],
  pod: [{ call: /^trunk push\b/, kind: 'package' }],
  podman: IMAGE_PUSH,
  poetry: [{ call: /^publish\b/, kind: 'package' }],
  pulumi: [{ call: /^(?:up|update)\b/, kind: 'deploy', where: 'infrastructure' }],
  rake: [{ call: /^release(?![:\w-])/, kind: 'package' }],
  'release-plz': [{ call: /^release\b/, kind: 'package' }],
  rsync: COPY_TO_HOST,
  sam: SERVERLESS,
  sbt: [
    {
      call: /(?:^|[\s;+/"'])(?:publish|publishSigned|ci-release|sonatype(?:BundleRelease|CentralRelease))(?=[\s;"']|$)/,
      kind: 'package',
    },
  ],
  scp: COPY_TO_HOST,
  'semantic-release': [{ call: /^(?!.*--dry-run)/, kind: 'package' }],
  serverless: SERVERLESS,
  skopeo: [{ call: /^(?:copy|sync)\b.*\sdocker:\/\/\S+$/, kind: 'image' }],
  sls: SERVERLESS,
  snapcraft: [{ call: /^(?:upload|push|release)\b/, kind: 'package' }],
  sst: SERVERLESS,
  stack: [{ call: /^upload\b/, kind: 'package' }],
  supabase: [{ call: /^(?:functions deploy|db push)\b/, kind: 'deploy' }],
  terraform: TERRAFORM,
  terragrunt: TERRAFORM,
  tofu: TERRAFORM,
  twine: [{ call: /^upload\b/, kind: 'package' }],
  uv: [{ call: /^publish\b/, kind: 'package' }],
  vercel: [{ call: /--prod\b/, kind: 'deploy' }],
  vsce: [{ call: /^publish\b/, kind: 'package' }],
  'wasm-pack': [{ call: /^publish\b/, kind: 'package' }],
  wrangler: [{ call: /^(?:deploy|publish|pages deploy)\b/, kind: 'deploy' }],
  yarn: [{ call: /^(?:npm )?publish\b/, kind: 'package' }],
};

/** Cheap pre-filter with a word from each call: scripts without a match are not parsed. */
export const PUBLISHING_MENTION =
  /publish|push|deploy|release|upload|sign|attest|\bs3\b|lambda|ecs|--prod|\bapply\b|\bup(?:date|grade)?\b|helm|kubectl|crane|skopeo|oras|jib|rsync|\bscp\b|\beas\b|\bacr\b|gsutil|gcloud|heroku|imagetools|deliver|pilot|supply|gh-deploy|pub lish|uploadArchives|\bmike\b|perform|containerapp|\bstorage\b|\bpub\b/i;
