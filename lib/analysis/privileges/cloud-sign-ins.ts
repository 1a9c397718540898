import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import type { Step, Text } from '#lib/workflow/model/model.ts';
import { ownValue } from '#lib/workflow/text/own-value.ts';

interface SignIn {
  readonly service: string;
  readonly input: string;
  readonly identityInputs: readonly string[];
}

const SIGN_INS: Readonly<Record<string, SignIn>> = {
  'aws-actions/configure-aws-credentials': {
    service: 'AWS',
    input: 'aws-secret-access-key',
    identityInputs: ['role-to-assume'],
  },
  'azure/login': { service: 'Azure', input: 'creds', identityInputs: ['client-id'] },
  'google-github-actions/auth': {
    service: 'Google Cloud',
    input: 'credentials_json',
    identityInputs: ['workload_identity_provider'],
  },
  'google-github-actions/setup-gcloud': { service: 'Google Cloud', input: 'service_account_key', identityInputs: [] },
};

export interface StoredKey {
  readonly service: string;
  readonly text: Text;
  readonly withoutIdentity: boolean;
}

export function cloudIdentity(step: Step): Text | undefined {
  const inputs = ownValue(SIGN_INS, actionOf(step)?.slug ?? '')?.identityInputs ?? [];
  return inputs.map((input) => inputOf(step, input)).find((text) => text !== undefined);
}

export function storedCloudKey(step: Step): StoredKey | undefined {
  const slug = actionOf(step)?.slug ?? '';
  const signIn = ownValue(SIGN_INS, slug);
  const text = signIn === undefined ? undefined : inputOf(step, signIn.input);
  if (signIn === undefined || text === undefined) return undefined;
  return {
    service: signIn.service,
    text,
    withoutIdentity: signIn.identityInputs.every((input) => inputOf(step, input) === undefined),
  };
}
