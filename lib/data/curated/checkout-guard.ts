export interface CheckoutRelease {
  readonly tag: string;
  readonly sha: string;
  readonly guarded: boolean;
}

// The guard was back-ported out of version order: v2.8.0 has it, v6.0.3 does not.
export const CHECKOUT_RELEASES = [
  { tag: 'v2.0.0', sha: '722adc63f1aa60a57ec37892e133b1d319cae598', guarded: false },
  { tag: 'v2.1.0', sha: '01aecccf739ca6ff86c0539fbc67a7a5007bbc81', guarded: false },
  { tag: 'v2.1.1', sha: '86f86b36ef15e6570752e7175f451a512eac206b', guarded: false },
  { tag: 'v2.2.0', sha: 'aabbfeb2ce60b5bd82389903509092c4648a9713', guarded: false },
  { tag: 'v2.3.0', sha: 'b4483adec309c0d01a5435c5e24eb40de5773ad9', guarded: false },
  { tag: 'v2.3.1', sha: '28c7f3d2b5162b5ddd3dfd9a45aa55eaf396478b', guarded: false },
  { tag: 'v2.3.2', sha: '2036a08e25fa78bbd946711a407b529a0a1204bf', guarded: false },
  { tag: 'v2.3.3', sha: 'a81bbbf8298c0fa03ea29cdc473d45769f953675', guarded: false },
  { tag: 'v2.3.4', sha: '5a4ac9002d0be2fb38bd78e4b4dbde5606d7042f', guarded: false },
  { tag: 'v2.3.5', sha: '1e204e9a9253d643386038d443f96446fa156a97', guarded: false },
  { tag: 'v2.4.0', sha: 'ec3a7ce113134d7a93b817d10a8272cb61118579', guarded: false },
  { tag: 'v2.4.1', sha: 'f25a3a9f25bd5f4c5d77189cab02ff357b5aedeb', guarded: false },
  { tag: 'v2.4.2', sha: '7884fcad6b5d53d10323aee724dc68d8b9096a2e', guarded: false },
  { tag: 'v2.5.0', sha: 'e2f20e631ae6d7dd3b768f56a5d2af784dd54791', guarded: false },
  { tag: 'v2.6.0', sha: 'dc323e67f16fb5f7663d20ff7941f27f5809e9b6', guarded: false },
  { tag: 'v2.7.0', sha: 'ee0669bd1cc54295c223e0bb666b733df41de1c5', guarded: false },
  { tag: 'v2.8.0', sha: '0717577d45739eb3c851188b29f50ed6c0b2194e', guarded: true },
  { tag: 'v3.0.0', sha: 'a12a3943b4bdde767164f792f33f40b04645d846', guarded: false },
  { tag: 'v3.0.1', sha: 'dcd71f646680f2efd8db4afa5ad64fdcba30e748', guarded: false },
  { tag: 'v3.0.2', sha: '2541b1294d2704b0964813337f33b291d3f8596b', guarded: false },
  { tag: 'v3.1.0', sha: '93ea575cb5d8a053eaa0ac8fa3b40d7e05a33cc8', guarded: false },
  { tag: 'v3.2.0', sha: '755da8c3cf115ac066823e79a1e1788f8940201b', guarded: false },
  { tag: 'v3.3.0', sha: 'ac593985615ec2ede58e132d2e21d2b1cbd6127c', guarded: false },
  { tag: 'v3.4.0', sha: '24cb9080177205b6e8c946b17badbe402adc938f', guarded: false },
  { tag: 'v3.5.0', sha: '8f4b7f84864484a7bf31766abe9204da3cbe65b3', guarded: false },
  { tag: 'v3.5.1', sha: '83b7061638ee4956cf7545a6f7efe594e5ad0247', guarded: false },
  { tag: 'v3.5.2', sha: '8e5e7e5ab8b370d6c329ec480221332ada57f0ab', guarded: false },
  { tag: 'v3.5.3', sha: 'c85c95e3d7251135ab7dc9ce3241c5835cc595a9', guarded: false },
  { tag: 'v3.6.0', sha: 'f43a0e5ff2bd294095638e18286ca9a3d1956744', guarded: false },
  { tag: 'v3.7.0', sha: 'a37ce9120846195fa4ece8f58b268e6043cb2f26', guarded: true },
  { tag: 'v4.0.0', sha: '1e31de5234b9f8995739874a8ce0492dc87873e2', guarded: false },
  { tag: 'v4.1.0', sha: '8ade135a41bc03ea155e62e844d188df1ea18608', guarded: false },
  { tag: 'v4.1.1', sha: 'b4ffde65f46336ab88eb53be808477a3936bae11', guarded: false },
  { tag: 'v4.1.2', sha: '9bb56186c3b09b4f86b1c65136769dd318469633', guarded: false },
  { tag: 'v4.1.3', sha: '1d96c772d19495a3b5c517cd2bc0cb401ea0529f', guarded: false },
  { tag: 'v4.1.4', sha: '0ad4b8fadaa221de15dcec353f45205ec38ea70b', guarded: false },
  { tag: 'v4.1.5', sha: '44c2b7a8a4ea60a981eaca3cf939b5f4305c123b', guarded: false },
  { tag: 'v4.1.6', sha: 'a5ac7e51b41094c92402da3b24376905380afc29', guarded: false },
  { tag: 'v4.1.7', sha: '692973e3d937129bcbf40652eb9f2f61becf3332', guarded: false },
  { tag: 'v4.2.0', sha: 'd632683dd7b4114ad314bca15554477dd762a938', guarded: false },
  { tag: 'v4.2.1', sha: 'eef61447b9ff4aafe5dcd4e0bbf5d482be7e7871', guarded: false },
  { tag: 'v4.2.2', sha: '11bd71901bbe5b1630ceea73d27597364c9af683', guarded: false },
  { tag: 'v4.3.0', sha: '08eba0b27e820071cde6df949e0beb9ba4906955', guarded: false },
  { tag: 'v4.3.1', sha: '34e114876b0b11c390a56381ad16ebd13914f8d5', guarded: false },
  { tag: 'v4.4.0', sha: '11d5960a326750d5838078e36cf38b85af677262', guarded: true },
  { tag: 'v5.0.0', sha: '08c6903cd8c0fde910a37f88322edcfb5dd907a8', guarded: false },
  { tag: 'v5.0.1', sha: '93cb6efe18208431cddfb8368fd83d5badbf9bfd', guarded: false },
  { tag: 'v5.1.0', sha: 'fbc6f3992d24b796d5a048ff273f7fcc4a7b6c09', guarded: true },
  { tag: 'v6.0.0', sha: '1af3b93b6815bc44a9784bd300feb67ff0d1eeb3', guarded: false },
  { tag: 'v6.0.1', sha: '8e8c483db84b4bee98b60c0593521ed34d9990e8', guarded: false },
  { tag: 'v6.0.2', sha: 'de0fac2e4500dabe0009e67214ff5f5447ce83dd', guarded: false },
  { tag: 'v6.0.3', sha: 'df4cb1c069e1874edd31b4311f1884172cec0e10', guarded: false },
  { tag: 'v6.1.0', sha: 'd23441a48e516b6c34aea4fa41551a30e30af803', guarded: true },
  { tag: 'v7.0.0', sha: '9c091bb21b7c1c1d1991bb908d89e4e9dddfe3e0', guarded: true },
  { tag: 'v7.0.1', sha: '3d3c42e5aac5ba805825da76410c181273ba90b1', guarded: true },
] as const satisfies readonly CheckoutRelease[];

/** `unproven`: the author may cause the event after deleting the fork, when there is nothing left to compare with. */
export type Refusal = 'refused' | 'unproven';

interface GuardedEvent {
  readonly event: string;
  /** Undefined for all other activity types of the event. */
  readonly action: string | undefined;
  readonly refusal: Refusal;
  readonly source: string;
}

const HELPER = 'https://github.com/actions/checkout/blob/v7.0.1/src/unsafe-pr-checkout-helper.ts';
const TYPES = 'https://docs.github.com/webhooks/webhook-events-and-payloads#pull_request';
const RUN_TYPES = 'https://docs.github.com/webhooks/webhook-events-and-payloads#workflow_run';

/** The guard compares with the head repository of the payload, and lets pass what has none. */
const GUARDED_EVENTS: readonly GuardedEvent[] = [
  { event: 'pull_request_target', action: 'opened', refusal: 'refused', source: HELPER },
  // A push and a reopened pull request need the fork.
  { event: 'pull_request_target', action: 'synchronize', refusal: 'refused', source: TYPES },
  { event: 'pull_request_target', action: 'reopened', refusal: 'refused', source: TYPES },
  { event: 'pull_request_target', action: 'edited', refusal: 'unproven', source: TYPES },
  { event: 'pull_request_target', action: 'closed', refusal: 'unproven', source: TYPES },
  { event: 'pull_request_target', action: 'ready_for_review', refusal: 'unproven', source: TYPES },
  { event: 'pull_request_target', action: 'converted_to_draft', refusal: 'unproven', source: TYPES },
  { event: 'pull_request_target', action: undefined, refusal: 'refused', source: HELPER },
  { event: 'workflow_run', action: 'requested', refusal: 'refused', source: HELPER },
  { event: 'workflow_run', action: 'in_progress', refusal: 'refused', source: HELPER },
  { event: 'workflow_run', action: 'completed', refusal: 'unproven', source: RUN_TYPES },
  { event: 'workflow_run', action: undefined, refusal: 'unproven', source: RUN_TYPES },
];

export function guardFor(event: string, action: string | undefined): GuardedEvent | undefined {
  const lines = GUARDED_EVENTS.filter((line) => line.event === event);
  return lines.find((line) => line.action === action) ?? lines.find((line) => line.action === undefined);
}
