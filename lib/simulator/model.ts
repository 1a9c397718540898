import type { FileContent } from './git.ts';
import type { SimulatedSettings } from './settings.ts';

export interface Account {
  readonly id: number;
  login: string;
  readonly type: 'User' | 'Organization' | 'Bot';
  readonly name: string;
  readonly email: string | null;
  readonly createdAt: string;
  readonly twoFactorRequired?: boolean;
  readonly basePermission?: 'none' | 'read' | 'write' | 'admin';
}

export type Visibility = 'public' | 'private' | 'internal';

export interface WorkflowSettings {
  readonly defaultPermissions: 'read' | 'write';
  readonly canApprovePullRequests: boolean;
}

export interface Repository {
  readonly id: number;
  ownerId: number;
  name: string;
  description: string | null;
  visibility: Visibility;
  archived: boolean;
  fork: boolean;
  disabled: boolean;
  workflowSettings: WorkflowSettings;
  settings: SimulatedSettings;
  readonly defaultBranch: string;
  readonly formerNames: string[];
  readonly createdAt: string;
  pushedAt: string;
  readonly importedHead: string | null;
  ownGit: boolean;
  stars: number;
  releases: readonly SimulatedRelease[];
  readonly signed: string[];
  labels: readonly Label[];
  readonly parentId: number | null;
}

export interface SimulatedRelease {
  readonly tag: string;
  readonly publishedAt: string;
  readonly immutable: boolean;
  readonly prerelease?: boolean;
}

export interface Membership {
  readonly organizationId: number;
  readonly userId: number;
  readonly role: 'admin' | 'member';
  readonly state: 'active' | 'pending';
}

export interface Installation {
  readonly id: number;
  readonly accountId: number;
  repositoryIds: readonly number[] | null;
  permissions: Readonly<Record<string, string>>;
  readonly createdAt: string;
  suspendedAt: string | null;
}

export interface Label {
  readonly id: number;
  readonly name: string;
  readonly color: string;
  readonly description: string;
}

export interface PullRequest {
  readonly id: number;
  readonly number: number;
  readonly repositoryId: number;
  readonly headRepositoryId: number;
  readonly headBranch: string;
  headOid: string;
  baseBranch: string;
  baseOid: string;
  readonly authorId: number;
  title: string;
  body: string | null;
  draft: boolean;
  state: 'open' | 'closed';
  labels: readonly string[];
  readonly createdAt: string;
  updatedAt: string;
  closedAt: string | null;
  mergedAt: string | null;
  mergedById: number | null;
  mergeCommit: string | null;
}

export interface Annotation {
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly start_column?: number;
  readonly end_column?: number;
  readonly annotation_level: 'notice' | 'warning' | 'failure';
  readonly message: string;
  readonly title?: string;
  readonly raw_details?: string;
}

export interface CheckRun {
  readonly id: number;
  readonly suiteId: number;
  readonly repositoryId: number;
  readonly headOid: string;
  name: string;
  status: 'queued' | 'in_progress' | 'completed' | 'waiting' | 'requested' | 'pending';
  conclusion: string | null;
  externalId: string;
  detailsUrl: string | null;
  startedAt: string;
  completedAt: string | null;
  title: string | null;
  summary: string | null;
  text: string | null;
  annotations: readonly Annotation[];
}

export interface Stored {
  readonly format: number;
  seeded: boolean;
  lastId: number;
  readonly accounts: Account[];
  memberships: Membership[];
  repositories: Repository[];
  installations: Installation[];
  readonly pullRequests: PullRequest[];
  readonly checkRuns: CheckRun[];
}

export interface NewRepository {
  readonly fullName: string;
  readonly id?: number;
  readonly description?: string;
  readonly visibility?: Visibility;
  readonly archived?: boolean;
  readonly fork?: boolean;
  readonly disabled?: boolean;
  readonly workflowSettings?: WorkflowSettings;
  readonly settings?: Partial<SimulatedSettings>;
  readonly defaultBranch?: string;
  readonly formerNames?: readonly string[];
  readonly stars?: number;
  readonly releases?: readonly SimulatedRelease[];
  readonly labels?: readonly string[];
  readonly createdAt?: string;
  readonly files?: Readonly<Record<string, FileContent>>;
}
