import { z } from 'zod';
import { Timestamp, Uuid } from './common.ts';
import type { Shape } from './shape.ts';

export const Role = z.enum(['admin', 'member']);

export const Organization = z
  .strictObject({
    id: Uuid,
    name: z.string(),
    personal: z.boolean().meta({ description: 'The one that everybody has; nobody joins or leaves it' }),
    role: Role.meta({ description: 'What the caller is in it' }),
    created_at: Timestamp,
  })
  .meta({ id: 'Organization' });

export const Member = z.strictObject({
  user_id: Uuid,
  email: z.string().nullable().meta({ description: 'As their last token said; null when it said none' }),
  role: Role,
  joined_at: Timestamp,
});

export const MemberRole = z.strictObject({ user_id: Uuid, role: Role }).meta({ id: 'MemberRole' });

export const Invite = z
  .strictObject({
    invite_id: Uuid,
    email: z.string(),
    role: Role,
    org_id: Uuid,
    org_name: z.string(),
    created_at: Timestamp,
  })
  .meta({ id: 'Invite' });

export const PrGate = z
  .strictObject({
    fail_on: z
      .enum(['never', 'critical', 'high', 'medium', 'low', 'info'])
      .meta({ description: 'Fails on this severity or worse; `critical` is a critical attack path only' }),
    new_only: z.boolean().meta({ description: 'Only what the pull request adds counts' }),
  })
  .meta({ id: 'PrGate' });

export type Role = Shape<typeof Role>;
export type Organization = Shape<typeof Organization>;
export type Member = Shape<typeof Member>;
export type MemberRole = Shape<typeof MemberRole>;
export type Invite = Shape<typeof Invite>;
export type PrGate = Shape<typeof PrGate>;
