export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[];

export type Database = {
  public: {
    Tables: {
      action_band_counts: {
        Row: {
          band: string;
          number: number;
        };
        Insert: {
          band: string;
          number: number;
        };
        Update: {
          band?: string;
          number?: number;
        };
        Relationships: [];
      };
      action_evaluations: {
        Row: {
          algorithm_version: string;
          band: string;
          breakdown: NonNullable<Json>;
          coverage: number;
          evaluated_at: string;
          finding_counts: NonNullable<Json>;
          hard_block: NonNullable<Json>;
          id: string;
          provisional: boolean;
          score: number;
          score_floor: number;
          signals: NonNullable<Json>;
          signals_hash: string;
          version_id: string;
        };
        Insert: {
          algorithm_version: string;
          band: string;
          breakdown: NonNullable<Json>;
          coverage: number;
          evaluated_at: string;
          finding_counts: NonNullable<Json>;
          hard_block: NonNullable<Json>;
          id?: string;
          provisional: boolean;
          score: number;
          score_floor: number;
          signals: NonNullable<Json>;
          signals_hash: string;
          version_id: string;
        };
        Update: {
          algorithm_version?: string;
          band?: string;
          breakdown?: NonNullable<Json>;
          coverage?: number;
          evaluated_at?: string;
          finding_counts?: NonNullable<Json>;
          hard_block?: NonNullable<Json>;
          id?: string;
          provisional?: boolean;
          score?: number;
          score_floor?: number;
          signals?: NonNullable<Json>;
          signals_hash?: string;
          version_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'action_evaluations_version_id_fkey';
            columns: ['version_id'];
            referencedRelation: 'action_versions';
            referencedColumns: ['id'];
          },
        ];
      };
      action_identities: {
        Row: {
          first_seen_at: string;
          name_key: string;
          owner_scm_id: string;
          scm_id: string;
        };
        Insert: {
          first_seen_at: string;
          name_key: string;
          owner_scm_id: string;
          scm_id: string;
        };
        Update: {
          first_seen_at?: string;
          name_key?: string;
          owner_scm_id?: string;
          scm_id?: string;
        };
        Relationships: [];
      };
      action_names: {
        Row: {
          action_id: string;
          name_key: string;
        };
        Insert: {
          action_id: string;
          name_key: string;
        };
        Update: {
          action_id?: string;
          name_key?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'action_names_action_id_fkey';
            columns: ['action_id'];
            referencedRelation: 'actions';
            referencedColumns: ['id'];
          },
        ];
      };
      action_queue: {
        Row: {
          action_id: string;
          attempts: number;
          due_at: string;
          lease: string | null;
          lease_until: string | null;
          requested_at: string;
        };
        Insert: {
          action_id: string;
          attempts?: number;
          due_at: string;
          lease?: string | null;
          lease_until?: string | null;
          requested_at: string;
        };
        Update: {
          action_id?: string;
          attempts?: number;
          due_at?: string;
          lease?: string | null;
          lease_until?: string | null;
          requested_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'action_queue_action_id_fkey';
            columns: ['action_id'];
            referencedRelation: 'actions';
            referencedColumns: ['id'];
          },
        ];
      };
      action_uses: {
        Row: {
          file: string;
          id: string;
          line: number;
          name: string;
          org_id: string;
          owner: string;
          path: string;
          ref: string;
          repo_id: string;
          scan_id: string;
        };
        Insert: {
          file: string;
          id?: string;
          line: number;
          name: string;
          org_id: string;
          owner: string;
          path: string;
          ref: string;
          repo_id: string;
          scan_id: string;
        };
        Update: {
          file?: string;
          id?: string;
          line?: number;
          name?: string;
          org_id?: string;
          owner?: string;
          path?: string;
          ref?: string;
          repo_id?: string;
          scan_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'action_uses_repo_id_org_id_fkey';
            columns: ['repo_id', 'org_id'];
            referencedRelation: 'repositories';
            referencedColumns: ['id', 'org_id'];
          },
          {
            foreignKeyName: 'action_uses_repo_id_org_id_fkey';
            columns: ['repo_id', 'org_id'];
            referencedRelation: 'repository_overview';
            referencedColumns: ['id', 'org_id'];
          },
          {
            foreignKeyName: 'action_uses_scan_id_repo_id_org_id_fkey';
            columns: ['scan_id', 'repo_id', 'org_id'];
            referencedRelation: 'scans';
            referencedColumns: ['id', 'repo_id', 'org_id'];
          },
        ];
      };
      action_versions: {
        Row: {
          action_id: string;
          checked_at: string | null;
          commit_sha: string;
          first_seen_at: string;
          id: string;
          path: string;
        };
        Insert: {
          action_id: string;
          checked_at?: string | null;
          commit_sha: string;
          first_seen_at: string;
          id?: string;
          path?: string;
        };
        Update: {
          action_id?: string;
          checked_at?: string | null;
          commit_sha?: string;
          first_seen_at?: string;
          id?: string;
          path?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'action_versions_action_id_fkey';
            columns: ['action_id'];
            referencedRelation: 'actions';
            referencedColumns: ['id'];
          },
        ];
      };
      actions: {
        Row: {
          archived: boolean;
          band: string | null;
          checked_at: string | null;
          confirmed: boolean;
          created_at: string;
          description: string | null;
          finding_counts: Json | null;
          id: string;
          name: string;
          owner: string;
          provisional: boolean | null;
          refs: Json | null;
          scm_id: string | null;
          score: number | null;
          scored_at: string | null;
          search_text: string | null;
          sha: string | null;
          stale_since: string | null;
          stars: number | null;
          url: string | null;
          used_by: number;
          version_id: string | null;
        };
        Insert: {
          archived?: boolean;
          band?: string | null;
          checked_at?: string | null;
          confirmed?: boolean;
          created_at?: string;
          description?: string | null;
          finding_counts?: Json | null;
          id?: string;
          name: string;
          owner: string;
          provisional?: boolean | null;
          refs?: Json | null;
          scm_id?: string | null;
          score?: number | null;
          scored_at?: string | null;
          search_text?: never;
          sha?: string | null;
          stale_since?: string | null;
          stars?: number | null;
          url?: string | null;
          used_by?: number;
          version_id?: string | null;
        };
        Update: {
          archived?: boolean;
          band?: string | null;
          checked_at?: string | null;
          confirmed?: boolean;
          created_at?: string;
          description?: string | null;
          finding_counts?: Json | null;
          id?: string;
          name?: string;
          owner?: string;
          provisional?: boolean | null;
          refs?: Json | null;
          scm_id?: string | null;
          score?: number | null;
          scored_at?: string | null;
          search_text?: never;
          sha?: string | null;
          stale_since?: string | null;
          stars?: number | null;
          url?: string | null;
          used_by?: number;
          version_id?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: 'actions_version_id_fkey';
            columns: ['version_id'];
            referencedRelation: 'action_versions';
            referencedColumns: ['id'];
          },
        ];
      };
      attack_path_changes: {
        Row: {
          id: number;
          org_id: string;
          repo_id: string;
        };
        Insert: {
          id?: number;
          org_id: string;
          repo_id: string;
        };
        Update: {
          id?: number;
          org_id?: string;
          repo_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'attack_path_changes_repo_id_org_id_fkey';
            columns: ['repo_id', 'org_id'];
            referencedRelation: 'repositories';
            referencedColumns: ['id', 'org_id'];
          },
          {
            foreignKeyName: 'attack_path_changes_repo_id_org_id_fkey';
            columns: ['repo_id', 'org_id'];
            referencedRelation: 'repository_overview';
            referencedColumns: ['id', 'org_id'];
          },
        ];
      };
      attack_path_sets: {
        Row: {
          basis: string;
          critical: number;
          disabled: string[];
          engine: string;
          findings: NonNullable<Json>;
          gaps: NonNullable<Json>;
          gaps_key: string;
          high: number;
          matched: string[];
          org_id: string;
          paths: NonNullable<Json>;
          private: boolean;
          repo_id: string;
          rules: string[];
          scan_id: string;
          total: number;
          worst_file: string | null;
          worst_id: string | null;
          worst_rank: number | null;
        };
        Insert: {
          basis: string;
          critical: number;
          disabled: string[];
          engine: string;
          findings: NonNullable<Json>;
          gaps: NonNullable<Json>;
          gaps_key: string;
          high: number;
          matched: string[];
          org_id: string;
          paths: NonNullable<Json>;
          private: boolean;
          repo_id: string;
          rules: string[];
          scan_id: string;
          total: number;
          worst_file?: string | null;
          worst_id?: string | null;
          worst_rank?: number | null;
        };
        Update: {
          basis?: string;
          critical?: number;
          disabled?: string[];
          engine?: string;
          findings?: NonNullable<Json>;
          gaps?: NonNullable<Json>;
          gaps_key?: string;
          high?: number;
          matched?: string[];
          org_id?: string;
          paths?: NonNullable<Json>;
          private?: boolean;
          repo_id?: string;
          rules?: string[];
          scan_id?: string;
          total?: number;
          worst_file?: string | null;
          worst_id?: string | null;
          worst_rank?: number | null;
        };
        Relationships: [
          {
            foreignKeyName: 'attack_path_sets_repo_id_org_id_fkey';
            columns: ['repo_id', 'org_id'];
            referencedRelation: 'repositories';
            referencedColumns: ['id', 'org_id'];
          },
          {
            foreignKeyName: 'attack_path_sets_repo_id_org_id_fkey';
            columns: ['repo_id', 'org_id'];
            referencedRelation: 'repository_overview';
            referencedColumns: ['id', 'org_id'];
          },
          {
            foreignKeyName: 'attack_path_sets_scan_id_repo_id_org_id_fkey';
            columns: ['scan_id', 'repo_id', 'org_id'];
            referencedRelation: 'scans';
            referencedColumns: ['id', 'repo_id', 'org_id'];
          },
        ];
      };
      campaign_pull_requests: {
        Row: {
          campaign_id: string;
          org_id: string;
          pull_request_id: string;
          repo_id: string;
          reused: boolean;
        };
        Insert: {
          campaign_id: string;
          org_id: string;
          pull_request_id: string;
          repo_id: string;
          reused: boolean;
        };
        Update: {
          campaign_id?: string;
          org_id?: string;
          pull_request_id?: string;
          repo_id?: string;
          reused?: boolean;
        };
        Relationships: [
          {
            foreignKeyName: 'campaign_pull_requests_campaign_id_repo_id_org_id_fkey';
            columns: ['campaign_id', 'repo_id', 'org_id'];
            referencedRelation: 'campaign_repos';
            referencedColumns: ['campaign_id', 'repo_id', 'org_id'];
          },
          {
            foreignKeyName: 'campaign_pull_requests_pull_request_id_repo_id_org_id_fkey';
            columns: ['pull_request_id', 'repo_id', 'org_id'];
            referencedRelation: 'fix_pull_requests';
            referencedColumns: ['id', 'repo_id', 'org_id'];
          },
        ];
      };
      campaign_repos: {
        Row: {
          attempt: number;
          campaign_id: string;
          error: string | null;
          finished_at: string | null;
          org_id: string;
          prs_opened: number;
          repo_id: string;
          started_at: string | null;
          status: string;
        };
        Insert: {
          attempt?: number;
          campaign_id: string;
          error?: string | null;
          finished_at?: string | null;
          org_id: string;
          prs_opened?: number;
          repo_id: string;
          started_at?: string | null;
          status?: string;
        };
        Update: {
          attempt?: number;
          campaign_id?: string;
          error?: string | null;
          finished_at?: string | null;
          org_id?: string;
          prs_opened?: number;
          repo_id?: string;
          started_at?: string | null;
          status?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'campaign_repos_campaign_id_org_id_fkey';
            columns: ['campaign_id', 'org_id'];
            referencedRelation: 'campaign_rollups';
            referencedColumns: ['id', 'org_id'];
          },
          {
            foreignKeyName: 'campaign_repos_campaign_id_org_id_fkey';
            columns: ['campaign_id', 'org_id'];
            referencedRelation: 'campaigns';
            referencedColumns: ['id', 'org_id'];
          },
          {
            foreignKeyName: 'campaign_repos_repo_id_org_id_fkey';
            columns: ['repo_id', 'org_id'];
            referencedRelation: 'repositories';
            referencedColumns: ['id', 'org_id'];
          },
          {
            foreignKeyName: 'campaign_repos_repo_id_org_id_fkey';
            columns: ['repo_id', 'org_id'];
            referencedRelation: 'repository_overview';
            referencedColumns: ['id', 'org_id'];
          },
        ];
      };
      campaigns: {
        Row: {
          created_at: string;
          created_by: string;
          id: string;
          org_id: string;
          ruleset: string;
          status: string;
          updated_at: string;
        };
        Insert: {
          created_at?: string;
          created_by: string;
          id?: string;
          org_id: string;
          ruleset: string;
          status?: string;
          updated_at?: string;
        };
        Update: {
          created_at?: string;
          created_by?: string;
          id?: string;
          org_id?: string;
          ruleset?: string;
          status?: string;
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'campaigns_org_id_fkey';
            columns: ['org_id'];
            referencedRelation: 'organizations';
            referencedColumns: ['id'];
          },
        ];
      };
      code_host_writes: {
        Row: {
          installation_id: string;
          paused_until: string | null;
          reserved: string[];
          updated_at: string;
        };
        Insert: {
          installation_id: string;
          paused_until?: string | null;
          reserved?: string[];
          updated_at?: string;
        };
        Update: {
          installation_id?: string;
          paused_until?: string | null;
          reserved?: string[];
          updated_at?: string;
        };
        Relationships: [];
      };
      finding_ledger: {
        Row: {
          category: string;
          confidence: string;
          expires_at: string | null;
          file: string | null;
          fingerprint: string;
          first_scan_id: string;
          first_seen_at: string;
          fixable: boolean;
          last_scan_id: string;
          last_seen_at: string;
          line: number | null;
          org_id: string;
          present: boolean;
          reason: string | null;
          repo_id: string;
          resolved_at: string | null;
          returned_at: string | null;
          rule_id: string;
          search_text: string;
          severity: string;
          severity_rank: number;
          status: string;
          title: string;
          updated_at: string;
          updated_by: string | null;
        };
        Insert: {
          category: string;
          confidence: string;
          expires_at?: string | null;
          file?: string | null;
          fingerprint: string;
          first_scan_id: string;
          first_seen_at: string;
          fixable: boolean;
          last_scan_id: string;
          last_seen_at: string;
          line?: number | null;
          org_id: string;
          present?: boolean;
          reason?: string | null;
          repo_id: string;
          resolved_at?: string | null;
          returned_at?: string | null;
          rule_id: string;
          search_text?: never;
          severity: string;
          severity_rank: number;
          status?: string;
          title: string;
          updated_at?: string;
          updated_by?: string | null;
        };
        Update: {
          category?: string;
          confidence?: string;
          expires_at?: string | null;
          file?: string | null;
          fingerprint?: string;
          first_scan_id?: string;
          first_seen_at?: string;
          fixable?: boolean;
          last_scan_id?: string;
          last_seen_at?: string;
          line?: number | null;
          org_id?: string;
          present?: boolean;
          reason?: string | null;
          repo_id?: string;
          resolved_at?: string | null;
          returned_at?: string | null;
          rule_id?: string;
          search_text?: never;
          severity?: string;
          severity_rank?: number;
          status?: string;
          title?: string;
          updated_at?: string;
          updated_by?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: 'finding_ledger_first_scan_id_repo_id_org_id_fkey';
            columns: ['first_scan_id', 'repo_id', 'org_id'];
            referencedRelation: 'scans';
            referencedColumns: ['id', 'repo_id', 'org_id'];
          },
          {
            foreignKeyName: 'finding_ledger_last_scan_id_repo_id_org_id_fkey';
            columns: ['last_scan_id', 'repo_id', 'org_id'];
            referencedRelation: 'scans';
            referencedColumns: ['id', 'repo_id', 'org_id'];
          },
          {
            foreignKeyName: 'finding_ledger_repo_id_org_id_fkey';
            columns: ['repo_id', 'org_id'];
            referencedRelation: 'repositories';
            referencedColumns: ['id', 'org_id'];
          },
          {
            foreignKeyName: 'finding_ledger_repo_id_org_id_fkey';
            columns: ['repo_id', 'org_id'];
            referencedRelation: 'repository_overview';
            referencedColumns: ['id', 'org_id'];
          },
        ];
      };
      findings: {
        Row: {
          category: string;
          column: number | null;
          confidence: string;
          description: string;
          end_column: number | null;
          end_line: number | null;
          file: string | null;
          fingerprint: string;
          fixable: boolean;
          id: string;
          line: number | null;
          org_id: string;
          recommendation: string;
          repo_id: string;
          rule_id: string;
          scan_id: string;
          severity: string;
          snippet: string | null;
          title: string;
        };
        Insert: {
          category: string;
          column?: number | null;
          confidence: string;
          description: string;
          end_column?: number | null;
          end_line?: number | null;
          file?: string | null;
          fingerprint: string;
          fixable: boolean;
          id?: string;
          line?: number | null;
          org_id: string;
          recommendation: string;
          repo_id: string;
          rule_id: string;
          scan_id: string;
          severity: string;
          snippet?: string | null;
          title: string;
        };
        Update: {
          category?: string;
          column?: number | null;
          confidence?: string;
          description?: string;
          end_column?: number | null;
          end_line?: number | null;
          file?: string | null;
          fingerprint?: string;
          fixable?: boolean;
          id?: string;
          line?: number | null;
          org_id?: string;
          recommendation?: string;
          repo_id?: string;
          rule_id?: string;
          scan_id?: string;
          severity?: string;
          snippet?: string | null;
          title?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'findings_scan_id_repo_id_org_id_fkey';
            columns: ['scan_id', 'repo_id', 'org_id'];
            referencedRelation: 'scans';
            referencedColumns: ['id', 'repo_id', 'org_id'];
          },
        ];
      };
      fix_pull_requests: {
        Row: {
          branch: string;
          campaign_id: string | null;
          checked_at: string | null;
          closed_at: string | null;
          file: string;
          fingerprints: string[];
          id: string;
          merge_commit_sha: string | null;
          merged_at: string | null;
          number: number;
          opened_at: string;
          org_id: string;
          repo_id: string;
          rule_ids: string[];
          state: string;
          url: string;
          verified_at: string | null;
        };
        Insert: {
          branch: string;
          campaign_id?: string | null;
          checked_at?: string | null;
          closed_at?: string | null;
          file: string;
          fingerprints: string[];
          id?: string;
          merge_commit_sha?: string | null;
          merged_at?: string | null;
          number: number;
          opened_at?: string;
          org_id: string;
          repo_id: string;
          rule_ids: string[];
          state?: string;
          url: string;
          verified_at?: string | null;
        };
        Update: {
          branch?: string;
          campaign_id?: string | null;
          checked_at?: string | null;
          closed_at?: string | null;
          file?: string;
          fingerprints?: string[];
          id?: string;
          merge_commit_sha?: string | null;
          merged_at?: string | null;
          number?: number;
          opened_at?: string;
          org_id?: string;
          repo_id?: string;
          rule_ids?: string[];
          state?: string;
          url?: string;
          verified_at?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: 'fix_pull_requests_campaign_id_org_id_fkey';
            columns: ['campaign_id', 'org_id'];
            referencedRelation: 'campaign_rollups';
            referencedColumns: ['id', 'org_id'];
          },
          {
            foreignKeyName: 'fix_pull_requests_campaign_id_org_id_fkey';
            columns: ['campaign_id', 'org_id'];
            referencedRelation: 'campaigns';
            referencedColumns: ['id', 'org_id'];
          },
          {
            foreignKeyName: 'fix_pull_requests_repo_id_org_id_fkey';
            columns: ['repo_id', 'org_id'];
            referencedRelation: 'repositories';
            referencedColumns: ['id', 'org_id'];
          },
          {
            foreignKeyName: 'fix_pull_requests_repo_id_org_id_fkey';
            columns: ['repo_id', 'org_id'];
            referencedRelation: 'repository_overview';
            referencedColumns: ['id', 'org_id'];
          },
        ];
      };
      installations: {
        Row: {
          account: string;
          account_type: string;
          created_at: string;
          id: string;
          installation_id: number;
          org_id: string;
          removed_at: string | null;
          suspended_at: string | null;
          user_id: string;
        };
        Insert: {
          account: string;
          account_type: string;
          created_at?: string;
          id?: string;
          installation_id: number;
          org_id: string;
          removed_at?: string | null;
          suspended_at?: string | null;
          user_id: string;
        };
        Update: {
          account?: string;
          account_type?: string;
          created_at?: string;
          id?: string;
          installation_id?: number;
          org_id?: string;
          removed_at?: string | null;
          suspended_at?: string | null;
          user_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'installations_org_id_fkey';
            columns: ['org_id'];
            referencedRelation: 'organizations';
            referencedColumns: ['id'];
          },
        ];
      };
      notification_settings: {
        Row: {
          enabled: boolean;
          failure: string | null;
          slack_webhook_url: string;
          updated_at: string;
          user_id: string;
        };
        Insert: {
          enabled: boolean;
          failure?: string | null;
          slack_webhook_url: string;
          updated_at?: string;
          user_id: string;
        };
        Update: {
          enabled?: boolean;
          failure?: string | null;
          slack_webhook_url?: string;
          updated_at?: string;
          user_id?: string;
        };
        Relationships: [];
      };
      observed_tags: {
        Row: {
          action: string;
          commit_sha: string;
          first_seen_at: string;
          last_used_at: string;
          org_id: string;
          repo_id: string;
          tag: string;
        };
        Insert: {
          action: string;
          commit_sha: string;
          first_seen_at: string;
          last_used_at: string;
          org_id: string;
          repo_id: string;
          tag: string;
        };
        Update: {
          action?: string;
          commit_sha?: string;
          first_seen_at?: string;
          last_used_at?: string;
          org_id?: string;
          repo_id?: string;
          tag?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'observed_tags_repo_id_org_id_fkey';
            columns: ['repo_id', 'org_id'];
            referencedRelation: 'repositories';
            referencedColumns: ['id', 'org_id'];
          },
          {
            foreignKeyName: 'observed_tags_repo_id_org_id_fkey';
            columns: ['repo_id', 'org_id'];
            referencedRelation: 'repository_overview';
            referencedColumns: ['id', 'org_id'];
          },
        ];
      };
      org_invites: {
        Row: {
          created_at: string;
          created_by: string;
          email: string;
          invite_id: string;
          org_id: string;
          role: string;
        };
        Insert: {
          created_at?: string;
          created_by: string;
          email: string;
          invite_id?: string;
          org_id: string;
          role: string;
        };
        Update: {
          created_at?: string;
          created_by?: string;
          email?: string;
          invite_id?: string;
          org_id?: string;
          role?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'org_invites_org_id_fkey';
            columns: ['org_id'];
            referencedRelation: 'organizations';
            referencedColumns: ['id'];
          },
        ];
      };
      org_members: {
        Row: {
          email: string | null;
          joined_at: string;
          org_id: string;
          role: string;
          user_id: string;
        };
        Insert: {
          email?: string | null;
          joined_at?: string;
          org_id: string;
          role: string;
          user_id: string;
        };
        Update: {
          email?: string | null;
          joined_at?: string;
          org_id?: string;
          role?: string;
          user_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'org_members_org_id_fkey';
            columns: ['org_id'];
            referencedRelation: 'organizations';
            referencedColumns: ['id'];
          },
        ];
      };
      organizations: {
        Row: {
          created_at: string;
          created_by: string;
          id: string;
          name: string;
          personal: boolean;
          pr_gate_fail_on: string;
          pr_gate_new_only: boolean;
        };
        Insert: {
          created_at?: string;
          created_by: string;
          id?: string;
          name: string;
          personal?: boolean;
          pr_gate_fail_on?: string;
          pr_gate_new_only?: boolean;
        };
        Update: {
          created_at?: string;
          created_by?: string;
          id?: string;
          name?: string;
          personal?: boolean;
          pr_gate_fail_on?: string;
          pr_gate_new_only?: boolean;
        };
        Relationships: [];
      };
      public_scan_claims: {
        Row: {
          claim: string;
          expires_at: string;
          repo_key: string;
        };
        Insert: {
          claim: string;
          expires_at: string;
          repo_key: string;
        };
        Update: {
          claim?: string;
          expires_at?: string;
          repo_key?: string;
        };
        Relationships: [];
      };
      public_scans: {
        Row: {
          attack_paths: Json | null;
          checks: Json | null;
          commit_sha: string | null;
          default_branch: string;
          engine_version: string | null;
          high: number;
          info: number;
          latest: boolean;
          low: number;
          medium: number;
          not_assessed: NonNullable<Json>;
          path_fixes: number | null;
          repo: string;
          repo_key: string;
          rule_counts: NonNullable<Json>;
          scanned_at: string;
          scm_id: string;
          slug: string;
          top_findings: NonNullable<Json>;
          withdrawn_at: string | null;
          workflow_files: number;
        };
        Insert: {
          attack_paths?: Json | null;
          checks?: Json | null;
          commit_sha?: string | null;
          default_branch: string;
          engine_version?: string | null;
          high: number;
          info: number;
          latest?: boolean;
          low: number;
          medium: number;
          not_assessed: NonNullable<Json>;
          path_fixes?: number | null;
          repo: string;
          repo_key: string;
          rule_counts: NonNullable<Json>;
          scanned_at?: string;
          scm_id: string;
          slug: string;
          top_findings: NonNullable<Json>;
          withdrawn_at?: string | null;
          workflow_files: number;
        };
        Update: {
          attack_paths?: Json | null;
          checks?: Json | null;
          commit_sha?: string | null;
          default_branch?: string;
          engine_version?: string | null;
          high?: number;
          info?: number;
          latest?: boolean;
          low?: number;
          medium?: number;
          not_assessed?: NonNullable<Json>;
          path_fixes?: number | null;
          repo?: string;
          repo_key?: string;
          rule_counts?: NonNullable<Json>;
          scanned_at?: string;
          scm_id?: string;
          slug?: string;
          top_findings?: NonNullable<Json>;
          withdrawn_at?: string | null;
          workflow_files?: number;
        };
        Relationships: [];
      };
      pull_request_checks: {
        Row: {
          base_sha: string;
          before_sha: string | null;
          changed_at: string;
          claim: string;
          head_sha: string;
          installation_id: number;
          number: number;
          scm_id: string;
          updated_at: string;
        };
        Insert: {
          base_sha: string;
          before_sha?: string | null;
          changed_at: string;
          claim: string;
          head_sha: string;
          installation_id: number;
          number: number;
          scm_id: string;
          updated_at?: string;
        };
        Update: {
          base_sha?: string;
          before_sha?: string | null;
          changed_at?: string;
          claim?: string;
          head_sha?: string;
          installation_id?: number;
          number?: number;
          scm_id?: string;
          updated_at?: string;
        };
        Relationships: [];
      };
      rate_limits: {
        Row: {
          hits: string[];
          key: string;
          updated_at: string;
        };
        Insert: {
          hits: string[];
          key: string;
          updated_at: string;
        };
        Update: {
          hits?: string[];
          key?: string;
          updated_at?: string;
        };
        Relationships: [];
      };
      ref_observations: {
        Row: {
          action_id: string;
          commit_sha: string;
          first_seen_at: string;
          id: string;
          last_seen_at: string;
          previous_commit: string | null;
          ref: string;
        };
        Insert: {
          action_id: string;
          commit_sha: string;
          first_seen_at: string;
          id?: string;
          last_seen_at: string;
          previous_commit?: string | null;
          ref: string;
        };
        Update: {
          action_id?: string;
          commit_sha?: string;
          first_seen_at?: string;
          id?: string;
          last_seen_at?: string;
          previous_commit?: string | null;
          ref?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'ref_observations_action_id_fkey';
            columns: ['action_id'];
            referencedRelation: 'actions';
            referencedColumns: ['id'];
          },
        ];
      };
      repositories: {
        Row: {
          archived: boolean;
          created_at: string;
          default_branch: string | null;
          full_name: string;
          html_url: string;
          id: string;
          installation_id: number;
          last_scan_id: string | null;
          monitored: boolean;
          monitored_by: string | null;
          org_id: string;
          private: boolean;
          removed_at: string | null;
          scm_id: string;
          updated_at: string;
          user_id: string;
        };
        Insert: {
          archived?: boolean;
          created_at?: string;
          default_branch?: string | null;
          full_name: string;
          html_url: string;
          id?: string;
          installation_id: number;
          last_scan_id?: string | null;
          monitored?: boolean;
          monitored_by?: string | null;
          org_id: string;
          private: boolean;
          removed_at?: string | null;
          scm_id: string;
          updated_at?: string;
          user_id: string;
        };
        Update: {
          archived?: boolean;
          created_at?: string;
          default_branch?: string | null;
          full_name?: string;
          html_url?: string;
          id?: string;
          installation_id?: number;
          last_scan_id?: string | null;
          monitored?: boolean;
          monitored_by?: string | null;
          org_id?: string;
          private?: boolean;
          removed_at?: string | null;
          scm_id?: string;
          updated_at?: string;
          user_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'repositories_last_scan_id_id_org_id_fkey';
            columns: ['last_scan_id', 'id', 'org_id'];
            referencedRelation: 'scans';
            referencedColumns: ['id', 'repo_id', 'org_id'];
          },
          {
            foreignKeyName: 'repositories_org_id_fkey';
            columns: ['org_id'];
            referencedRelation: 'organizations';
            referencedColumns: ['id'];
          },
          {
            foreignKeyName: 'repositories_org_id_installation_id_fkey';
            columns: ['org_id', 'installation_id'];
            referencedRelation: 'installations';
            referencedColumns: ['org_id', 'installation_id'];
          },
        ];
      };
      repository_paths: {
        Row: {
          basis: string;
          findings: NonNullable<Json>;
          matched: string[];
          missing: NonNullable<Json>;
          org_id: string;
          paths: NonNullable<Json>;
          repo_id: string;
          scan_id: string;
        };
        Insert: {
          basis: string;
          findings: NonNullable<Json>;
          matched: string[];
          missing: NonNullable<Json>;
          org_id: string;
          paths: NonNullable<Json>;
          repo_id: string;
          scan_id: string;
        };
        Update: {
          basis?: string;
          findings?: NonNullable<Json>;
          matched?: string[];
          missing?: NonNullable<Json>;
          org_id?: string;
          paths?: NonNullable<Json>;
          repo_id?: string;
          scan_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'repository_paths_repo_id_org_id_fkey';
            columns: ['repo_id', 'org_id'];
            referencedRelation: 'repositories';
            referencedColumns: ['id', 'org_id'];
          },
          {
            foreignKeyName: 'repository_paths_repo_id_org_id_fkey';
            columns: ['repo_id', 'org_id'];
            referencedRelation: 'repository_overview';
            referencedColumns: ['id', 'org_id'];
          },
          {
            foreignKeyName: 'repository_paths_scan_id_repo_id_org_id_fkey';
            columns: ['scan_id', 'repo_id', 'org_id'];
            referencedRelation: 'scans';
            referencedColumns: ['id', 'repo_id', 'org_id'];
          },
        ];
      };
      rule_events: {
        Row: {
          actor: string;
          created_at: string;
          from_value: string;
          id: string;
          org_id: string;
          repo_id: string | null;
          rule_id: string;
          to_value: string;
        };
        Insert: {
          actor: string;
          created_at?: string;
          from_value: string;
          id?: string;
          org_id: string;
          repo_id?: string | null;
          rule_id: string;
          to_value: string;
        };
        Update: {
          actor?: string;
          created_at?: string;
          from_value?: string;
          id?: string;
          org_id?: string;
          repo_id?: string | null;
          rule_id?: string;
          to_value?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'rule_events_org_id_fkey';
            columns: ['org_id'];
            referencedRelation: 'organizations';
            referencedColumns: ['id'];
          },
          {
            foreignKeyName: 'rule_events_repo_id_org_id_fkey';
            columns: ['repo_id', 'org_id'];
            referencedRelation: 'repositories';
            referencedColumns: ['id', 'org_id'];
          },
          {
            foreignKeyName: 'rule_events_repo_id_org_id_fkey';
            columns: ['repo_id', 'org_id'];
            referencedRelation: 'repository_overview';
            referencedColumns: ['id', 'org_id'];
          },
        ];
      };
      rule_overrides: {
        Row: {
          enabled: boolean;
          org_id: string;
          repo_id: string;
          rule_id: string;
          updated_at: string;
          updated_by: string;
        };
        Insert: {
          enabled: boolean;
          org_id: string;
          repo_id: string;
          rule_id: string;
          updated_at?: string;
          updated_by: string;
        };
        Update: {
          enabled?: boolean;
          org_id?: string;
          repo_id?: string;
          rule_id?: string;
          updated_at?: string;
          updated_by?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'rule_overrides_repo_id_org_id_fkey';
            columns: ['repo_id', 'org_id'];
            referencedRelation: 'repositories';
            referencedColumns: ['id', 'org_id'];
          },
          {
            foreignKeyName: 'rule_overrides_repo_id_org_id_fkey';
            columns: ['repo_id', 'org_id'];
            referencedRelation: 'repository_overview';
            referencedColumns: ['id', 'org_id'];
          },
        ];
      };
      rule_settings: {
        Row: {
          enabled: boolean;
          org_id: string;
          rule_id: string;
          updated_at: string;
          updated_by: string;
        };
        Insert: {
          enabled: boolean;
          org_id: string;
          rule_id: string;
          updated_at?: string;
          updated_by: string;
        };
        Update: {
          enabled?: boolean;
          org_id?: string;
          rule_id?: string;
          updated_at?: string;
          updated_by?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'rule_settings_org_id_fkey';
            columns: ['org_id'];
            referencedRelation: 'organizations';
            referencedColumns: ['id'];
          },
        ];
      };
      scan_facts: {
        Row: {
          caches_read_only: boolean;
          evidence: NonNullable<Json>;
          org_id: string;
          repo_id: string;
          scan_id: string;
          whole: boolean;
        };
        Insert: {
          caches_read_only: boolean;
          evidence: NonNullable<Json>;
          org_id: string;
          repo_id: string;
          scan_id: string;
          whole: boolean;
        };
        Update: {
          caches_read_only?: boolean;
          evidence?: NonNullable<Json>;
          org_id?: string;
          repo_id?: string;
          scan_id?: string;
          whole?: boolean;
        };
        Relationships: [
          {
            foreignKeyName: 'scan_facts_scan_id_repo_id_org_id_fkey';
            columns: ['scan_id', 'repo_id', 'org_id'];
            referencedRelation: 'scans';
            referencedColumns: ['id', 'repo_id', 'org_id'];
          },
        ];
      };
      scan_inputs: {
        Row: {
          digest: string;
          scan_id: string;
          tree: string;
        };
        Insert: {
          digest: string;
          scan_id: string;
          tree: string;
        };
        Update: {
          digest?: string;
          scan_id?: string;
          tree?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'scan_inputs_scan_id_fkey';
            columns: ['scan_id'];
            referencedRelation: 'scans';
            referencedColumns: ['id'];
          },
        ];
      };
      scan_rules: {
        Row: {
          completed: string[];
          not_assessed: NonNullable<Json>;
          scan_id: string;
        };
        Insert: {
          completed: string[];
          not_assessed: NonNullable<Json>;
          scan_id: string;
        };
        Update: {
          completed?: string[];
          not_assessed?: NonNullable<Json>;
          scan_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'scan_rules_scan_id_fkey';
            columns: ['scan_id'];
            referencedRelation: 'scans';
            referencedColumns: ['id'];
          },
        ];
      };
      scans: {
        Row: {
          commit_sha: string | null;
          diagnostics: Json | null;
          findings: number;
          finished_at: string;
          high: number;
          id: string;
          info: number;
          low: number;
          medium: number;
          new_findings: number;
          not_assessed: NonNullable<Json>;
          org_id: string;
          pruned_at: string | null;
          repo_id: string;
          ruleset: string;
          started_at: string;
          suppressed: number;
          trigger: string;
          user_id: string;
          workflow_files: number;
        };
        Insert: {
          commit_sha?: string | null;
          diagnostics?: Json | null;
          findings?: number;
          finished_at?: string;
          high?: number;
          id?: string;
          info?: number;
          low?: number;
          medium?: number;
          new_findings?: number;
          not_assessed?: NonNullable<Json>;
          org_id: string;
          pruned_at?: string | null;
          repo_id: string;
          ruleset: string;
          started_at: string;
          suppressed?: number;
          trigger: string;
          user_id: string;
          workflow_files: number;
        };
        Update: {
          commit_sha?: string | null;
          diagnostics?: Json | null;
          findings?: number;
          finished_at?: string;
          high?: number;
          id?: string;
          info?: number;
          low?: number;
          medium?: number;
          new_findings?: number;
          not_assessed?: NonNullable<Json>;
          org_id?: string;
          pruned_at?: string | null;
          repo_id?: string;
          ruleset?: string;
          started_at?: string;
          suppressed?: number;
          trigger?: string;
          user_id?: string;
          workflow_files?: number;
        };
        Relationships: [
          {
            foreignKeyName: 'scans_repo_id_org_id_fkey';
            columns: ['repo_id', 'org_id'];
            referencedRelation: 'repositories';
            referencedColumns: ['id', 'org_id'];
          },
          {
            foreignKeyName: 'scans_repo_id_org_id_fkey';
            columns: ['repo_id', 'org_id'];
            referencedRelation: 'repository_overview';
            referencedColumns: ['id', 'org_id'];
          },
        ];
      };
      triage_events: {
        Row: {
          actor: string | null;
          created_at: string;
          expires_at: string | null;
          fingerprint: string;
          from_status: string;
          id: string;
          org_id: string;
          reason: string | null;
          repo_id: string;
          to_status: string;
        };
        Insert: {
          actor?: string | null;
          created_at?: string;
          expires_at?: string | null;
          fingerprint: string;
          from_status: string;
          id?: string;
          org_id: string;
          reason?: string | null;
          repo_id: string;
          to_status: string;
        };
        Update: {
          actor?: string | null;
          created_at?: string;
          expires_at?: string | null;
          fingerprint?: string;
          from_status?: string;
          id?: string;
          org_id?: string;
          reason?: string | null;
          repo_id?: string;
          to_status?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'triage_events_repo_id_fingerprint_fkey';
            columns: ['repo_id', 'fingerprint'];
            referencedRelation: 'current_findings';
            referencedColumns: ['repo_id', 'fingerprint'];
          },
          {
            foreignKeyName: 'triage_events_repo_id_fingerprint_fkey';
            columns: ['repo_id', 'fingerprint'];
            referencedRelation: 'finding_ledger';
            referencedColumns: ['repo_id', 'fingerprint'];
          },
          {
            foreignKeyName: 'triage_events_repo_id_org_id_fkey';
            columns: ['repo_id', 'org_id'];
            referencedRelation: 'repositories';
            referencedColumns: ['id', 'org_id'];
          },
          {
            foreignKeyName: 'triage_events_repo_id_org_id_fkey';
            columns: ['repo_id', 'org_id'];
            referencedRelation: 'repository_overview';
            referencedColumns: ['id', 'org_id'];
          },
        ];
      };
      webhook_deliveries: {
        Row: {
          claim: string | null;
          claimed_until: string | null;
          event: string;
          handled_at: string | null;
          id: string;
          received_at: string;
        };
        Insert: {
          claim?: string | null;
          claimed_until?: string | null;
          event: string;
          handled_at?: string | null;
          id: string;
          received_at?: string;
        };
        Update: {
          claim?: string | null;
          claimed_until?: string | null;
          event?: string;
          handled_at?: string | null;
          id?: string;
          received_at?: string;
        };
        Relationships: [];
      };
    };
    Views: {
      campaign_rollups: {
        Row: {
          created_at: string | null;
          created_by: string | null;
          failed: number | null;
          id: string | null;
          org_id: string | null;
          partial: number | null;
          pending: number | null;
          prs_merged: number | null;
          prs_opened: number | null;
          prs_verified: number | null;
          ruleset: string | null;
          running: number | null;
          status: string | null;
          succeeded: number | null;
          total: number | null;
          updated_at: string | null;
        };
        Relationships: [
          {
            foreignKeyName: 'campaigns_org_id_fkey';
            columns: ['org_id'];
            referencedRelation: 'organizations';
            referencedColumns: ['id'];
          },
        ];
      };
      current_findings: {
        Row: {
          category: string | null;
          confidence: string | null;
          expires_at: string | null;
          file: string | null;
          fingerprint: string | null;
          first_scan_id: string | null;
          first_seen_at: string | null;
          fixable: boolean | null;
          full_name: string | null;
          last_scan_id: string | null;
          last_seen_at: string | null;
          line: number | null;
          org_id: string | null;
          private: boolean | null;
          reason: string | null;
          repo_id: string | null;
          returned_at: string | null;
          rule_id: string | null;
          search_text: string | null;
          severity: string | null;
          severity_rank: number | null;
          status: string | null;
          title: string | null;
          updated_at: string | null;
          updated_by: string | null;
        };
        Relationships: [
          {
            foreignKeyName: 'finding_ledger_first_scan_id_repo_id_org_id_fkey';
            columns: ['first_scan_id', 'repo_id', 'org_id'];
            referencedRelation: 'scans';
            referencedColumns: ['id', 'repo_id', 'org_id'];
          },
          {
            foreignKeyName: 'finding_ledger_last_scan_id_repo_id_org_id_fkey';
            columns: ['last_scan_id', 'repo_id', 'org_id'];
            referencedRelation: 'scans';
            referencedColumns: ['id', 'repo_id', 'org_id'];
          },
          {
            foreignKeyName: 'finding_ledger_repo_id_org_id_fkey';
            columns: ['repo_id', 'org_id'];
            referencedRelation: 'repositories';
            referencedColumns: ['id', 'org_id'];
          },
          {
            foreignKeyName: 'finding_ledger_repo_id_org_id_fkey';
            columns: ['repo_id', 'org_id'];
            referencedRelation: 'repository_overview';
            referencedColumns: ['id', 'org_id'];
          },
        ];
      };
      repository_overview: {
        Row: {
          archived: boolean | null;
          commit_sha: string | null;
          created_at: string | null;
          default_branch: string | null;
          diagnostics: Json | null;
          findings: number | null;
          finished_at: string | null;
          full_name: string | null;
          high: number | null;
          html_url: string | null;
          id: string | null;
          info: number | null;
          installation_id: number | null;
          last_scan_id: string | null;
          low: number | null;
          medium: number | null;
          monitored: boolean | null;
          monitored_by: string | null;
          new_findings: number | null;
          not_assessed: Json | null;
          org_id: string | null;
          private: boolean | null;
          ruleset: string | null;
          started_at: string | null;
          suppressed: number | null;
          suspended_at: string | null;
          trigger: string | null;
          updated_at: string | null;
          workflow_files: number | null;
        };
        Relationships: [
          {
            foreignKeyName: 'repositories_last_scan_id_id_org_id_fkey';
            columns: ['last_scan_id', 'id', 'org_id'];
            referencedRelation: 'scans';
            referencedColumns: ['id', 'repo_id', 'org_id'];
          },
          {
            foreignKeyName: 'repositories_org_id_fkey';
            columns: ['org_id'];
            referencedRelation: 'organizations';
            referencedColumns: ['id'];
          },
          {
            foreignKeyName: 'repositories_org_id_installation_id_fkey';
            columns: ['org_id', 'installation_id'];
            referencedRelation: 'installations';
            referencedColumns: ['org_id', 'installation_id'];
          },
        ];
      };
    };
    Functions: {
      abandon_public_scan: { Args: { p_claim: string; p_repo_key: string }; Returns: undefined };
      accept_invite: { Args: { p_email: string; p_invite_id: string; p_user_id: string }; Returns: Json };
      apply_rule_changes: { Args: { p_changes: string; p_org_id: string; p_user_id: string }; Returns: number };
      attack_paths_of_organization: {
        Args: {
          p_engine: string;
          p_limit: number;
          p_org_id: string;
          p_rules: string;
          p_tag: string;
          p_user_id: string;
        };
        Returns: Json;
      };
      attack_paths_of_repository: {
        Args: { p_engine: string; p_repo_id: string; p_rules: string; p_user_id: string };
        Returns: Json;
      };
      begin_delivery: {
        Args: { p_claim: string; p_claim_seconds: number; p_event: string; p_id: string };
        Returns: string;
      };
      begin_public_scan: {
        Args: { p_claim: string; p_claim_seconds: number; p_max_age_seconds: number; p_repo_key: string };
        Returns: Json;
      };
      begin_pull_request_check: { Args: { p_check: string }; Returns: boolean };
      catalog_actions: { Args: { p_names: string }; Returns: number };
      claim_actions: {
        Args: { p_lease: string; p_lease_seconds: number; p_limit: number; p_rescore_seconds?: number };
        Returns: Json;
      };
      claim_remediation: {
        Args: {
          p_campaign_id: string;
          p_org_id: string;
          p_repo_id: string;
          p_stale_seconds: number;
          p_user_id: string;
        };
        Returns: Json;
      };
      create_campaign: {
        Args: { p_org_id: string; p_repo_ids: string; p_ruleset: string; p_user_id: string };
        Returns: Json;
      };
      create_invite: { Args: { p_actor_id: string; p_email: string; p_org_id: string; p_role: string }; Returns: Json };
      create_org: { Args: { p_email: string; p_name: string; p_user_id: string }; Returns: Json };
      delete_notification_settings: { Args: { p_user_id: string }; Returns: undefined };
      disconnect_notifications: {
        Args: { p_failure: string; p_slack_webhook_url: string; p_user_id: string };
        Returns: undefined;
      };
      end_delivery: { Args: { p_claim: string; p_handled: boolean; p_id: string }; Returns: undefined };
      enqueue_action: { Args: { p_name: string; p_owner: string }; Returns: boolean };
      expire_triage: { Args: { p_max_repositories: number }; Returns: Json };
      finish_public_scan: { Args: { p_claim: string; p_scan: string }; Returns: Json };
      finish_remediation: {
        Args: { p_attempt: number; p_campaign_id: string; p_error: string; p_repo_id: string; p_status: string };
        Returns: Json;
      };
      get_campaign: { Args: { p_campaign_id: string; p_user_id: string }; Returns: Json };
      get_notification_settings: { Args: { p_user_id: string }; Returns: Json };
      get_pr_gate: { Args: { p_org_id: string; p_user_id: string }; Returns: Json };
      is_current_pull_request_check: {
        Args: { p_claim: string; p_installation_id: string; p_number: number; p_scm_id: string };
        Returns: boolean;
      };
      link_installation: { Args: { p_installation: string; p_org_id: string; p_user_id: string }; Returns: undefined };
      list_action_names: { Args: { p_limit: number }; Returns: Json };
      list_actions: {
        Args: {
          p_bands: string;
          p_descending: boolean;
          p_limit: number;
          p_offset: number;
          p_query: string;
          p_sort: string;
        };
        Returns: Json;
      };
      list_installations: { Args: { p_org_id: string; p_user_id: string }; Returns: Json };
      list_invites: { Args: { p_org_id: string; p_user_id: string }; Returns: Json };
      list_members: { Args: { p_org_id: string; p_user_id: string }; Returns: Json };
      list_my_invites: { Args: { p_email: string }; Returns: Json };
      list_org_rule_overrides: { Args: { p_org_id: string; p_rule_id?: string; p_user_id: string }; Returns: Json };
      list_orgs: { Args: { p_email: string; p_user_id: string }; Returns: Json };
      list_rule_overrides: { Args: { p_repo_id: string; p_user_id: string }; Returns: Json };
      list_rule_settings: { Args: { p_org_id: string; p_user_id: string }; Returns: Json };
      list_tag_moves: { Args: { p_days: number; p_limit: number }; Returns: Json };
      mark_repository_removed: { Args: { p_repo_id: string }; Returns: undefined };
      newest_public_scan: { Args: { p_max_age_seconds?: number; p_repo_key: string }; Returns: Json };
      notification_target: { Args: { p_org_id: string; p_user_id: string }; Returns: string };
      open_fix_pull_requests: { Args: { p_after: string; p_limit: number }; Returns: Json };
      org_attack_paths: {
        Args: { p_engine: string; p_org_id: string; p_rules: string; p_tag?: string; p_user_id: string };
        Returns: Json;
      };
      org_of_repository: { Args: { p_repo_id: string; p_user_id: string }; Returns: string };
      outdated_attack_paths: { Args: { p_engine: string; p_max: number }; Returns: Json };
      path_inputs: {
        Args: { p_engine: string; p_previous?: boolean; p_repo_ids: string; p_rules: string };
        Returns: Json;
      };
      pause_code_host_writes: { Args: { p_installation_id: string; p_seconds: number }; Returns: undefined };
      persist_scan: { Args: { p_evidence?: string; p_scan: string }; Returns: Json };
      prune_scans: { Args: { p_days: number; p_max_scans: number }; Returns: Json };
      public_scan_by_slug: { Args: { p_slug: string }; Returns: Json };
      public_statistics: { Args: Record<PropertyKey, never>; Returns: Json };
      pull_request_policies: { Args: { p_installation_id: string; p_scm_id: string }; Returns: Json };
      push_targets: { Args: { p_scm_id: string }; Returns: Json };
      put_notification_settings: {
        Args: { p_enabled: boolean; p_slack_webhook_url: string; p_user_id: string };
        Returns: Json;
      };
      put_pr_gate: {
        Args: { p_fail_on: string; p_new_only: boolean; p_org_id: string; p_user_id: string };
        Returns: Json;
      };
      rank_actions: { Args: { p_limit: number; p_org_id: string; p_user_id: string }; Returns: Json };
      read_action: { Args: { p_name_key: string }; Returns: Json };
      read_action_history: { Args: { p_name_key: string; p_scm_id: string }; Returns: Json };
      read_action_scores: { Args: { p_uses: string }; Returns: Json };
      read_action_versions: { Args: { p_commits: string; p_scm_id: string }; Returns: Json };
      read_finding_groups: {
        Args: { p_by: string; p_filters?: string; p_org_id: string };
        Returns: {
          findings: number;
          fixable: number;
          high: number;
          info: number;
          key: string;
          low: number;
          medium: number;
          name: string;
          newest_at: string;
          repositories: number;
        }[];
      };
      read_findings_in_paths: {
        Args: { p_findings: string; p_org_id: string };
        Returns: {
          fingerprint: string;
          paths: number;
          repo_id: string;
        }[];
      };
      read_open_counts: {
        Args: { p_org_id: string };
        Returns: {
          high: number;
          info: number;
          low: number;
          medium: number;
        }[];
      };
      read_open_over_time: {
        Args: { p_days: number; p_org_id: string };
        Returns: {
          day: string;
          high: number;
          info: number;
          low: number;
          medium: number;
        }[];
      };
      read_org_pulse: {
        Args: { p_org_id: string };
        Returns: {
          newest_at: string;
          topic: string;
          total: number;
        }[];
      };
      read_tag_moves: { Args: { p_limit: number; p_name_key: string }; Returns: Json };
      read_used_actions: {
        Args: { p_org_id: string };
        Returns: {
          name: string;
          owner: string;
          repositories: number;
          uses: number;
        }[];
      };
      record_fix_outcomes: { Args: { p_outcomes: string }; Returns: number };
      record_fix_pull_requests: {
        Args: { p_attempt: number; p_campaign_id: string; p_pull_requests: string; p_repo_id: string };
        Returns: undefined;
      };
      record_suspensions: { Args: { p_active: string; p_suspended: string }; Returns: number };
      release_action: { Args: { p_action_id: string; p_lease: string; p_retry_seconds?: number }; Returns: undefined };
      remove_member: { Args: { p_actor_id: string; p_org_id: string; p_user_id: string }; Returns: undefined };
      rename_org: { Args: { p_name: string; p_org_id: string; p_user_id: string }; Returns: Json };
      repeat_pull_request_checks: {
        Args: { p_claim: string; p_head_sha: string; p_installation_id: string; p_scm_id: string };
        Returns: Json;
      };
      repository_attack_paths: {
        Args: { p_engine: string; p_repo_id: string; p_rules: string; p_user_id: string };
        Returns: Json;
      };
      reserve_code_host_write: {
        Args: {
          p_gap_ms: number;
          p_installation_id: string;
          p_max_wait_ms: number;
          p_per_hour: number;
          p_per_minute: number;
        };
        Returns: Json;
      };
      resolve_org: { Args: { p_email: string; p_org_id?: string; p_user_id: string }; Returns: Json };
      revoke_invite: { Args: { p_actor_id: string; p_invite_id: string; p_org_id: string }; Returns: undefined };
      scan_target: { Args: { p_repo_id: string; p_user_id: string }; Returns: Json };
      schema_version: { Args: Record<PropertyKey, never>; Returns: string };
      scm_identities: { Args: { p_user_id: string }; Returns: string[] };
      set_member_role: {
        Args: { p_actor_id: string; p_org_id: string; p_role: string; p_user_id: string };
        Returns: Json;
      };
      set_monitored: { Args: { p_monitored: boolean; p_repo_id: string; p_user_id: string }; Returns: boolean };
      store_action: { Args: { p_action: string }; Returns: Json };
      store_attack_paths: { Args: { p_engine: string; p_rows: string; p_rules: string }; Returns: undefined };
      store_paths: { Args: { p_rows: string }; Returns: undefined };
      stored_attack_paths: { Args: { p_org_id: string; p_rows: string; p_user_id: string }; Returns: Json };
      stored_paths: { Args: { p_org_id: string; p_rows: string; p_user_id: string }; Returns: Json };
      sync_repositories: { Args: { p_answer: string; p_org_id: string; p_user_id: string }; Returns: Json };
      take_rate_limits: { Args: { p_budgets: string; p_window_seconds: number }; Returns: number };
      triage_finding: {
        Args: {
          p_expires_at?: string;
          p_fingerprint: string;
          p_if_status?: string;
          p_reason?: string;
          p_repo_id: string;
          p_status: string;
          p_user_id: string;
        };
        Returns: Json;
      };
      triage_findings: { Args: { p_changes: string; p_org_id: string; p_user_id: string }; Returns: Json };
      triaged_fingerprints: { Args: { p_repo_id: string }; Returns: Json };
      unfinished_deliveries: { Args: { p_days: number }; Returns: Json };
      unhandled_deliveries: { Args: { p_ids: string }; Returns: Json };
      withdraw_public_scans: { Args: { p_repo_key: string }; Returns: undefined };
    };
    Enums: {
      [_ in never]: never;
    };
    CompositeTypes: {
      [_ in never]: never;
    };
  };
};

type DatabaseWithoutInternals = Omit<Database, '__InternalSupabase'>;

type DefaultSchema = DatabaseWithoutInternals[Extract<keyof Database, 'public'>];

export type Tables<
  DefaultSchemaTableNameOrOptions extends
    | keyof (DefaultSchema['Tables'] & DefaultSchema['Views'])
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  }
    ? keyof (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions['schema']]['Tables'] &
        DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions['schema']]['Views'])
    : never = never,
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions['schema']]['Tables'] &
      DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions['schema']]['Views'])[TableName] extends {
      Row: infer R;
    }
    ? R
    : never
  : DefaultSchemaTableNameOrOptions extends keyof (DefaultSchema['Tables'] & DefaultSchema['Views'])
    ? (DefaultSchema['Tables'] & DefaultSchema['Views'])[DefaultSchemaTableNameOrOptions] extends {
        Row: infer R;
      }
      ? R
      : never
    : never;

export type TablesInsert<
  DefaultSchemaTableNameOrOptions extends keyof DefaultSchema['Tables'] | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions['schema']]['Tables']
    : never = never,
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions['schema']]['Tables'][TableName] extends {
      Insert: infer I;
    }
    ? I
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema['Tables']
    ? DefaultSchema['Tables'][DefaultSchemaTableNameOrOptions] extends {
        Insert: infer I;
      }
      ? I
      : never
    : never;

export type TablesUpdate<
  DefaultSchemaTableNameOrOptions extends keyof DefaultSchema['Tables'] | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions['schema']]['Tables']
    : never = never,
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions['schema']]['Tables'][TableName] extends {
      Update: infer U;
    }
    ? U
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema['Tables']
    ? DefaultSchema['Tables'][DefaultSchemaTableNameOrOptions] extends {
        Update: infer U;
      }
      ? U
      : never
    : never;

export type Enums<
  DefaultSchemaEnumNameOrOptions extends keyof DefaultSchema['Enums'] | { schema: keyof DatabaseWithoutInternals },
  EnumName extends DefaultSchemaEnumNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions['schema']]['Enums']
    : never = never,
> = DefaultSchemaEnumNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions['schema']]['Enums'][EnumName]
  : DefaultSchemaEnumNameOrOptions extends keyof DefaultSchema['Enums']
    ? DefaultSchema['Enums'][DefaultSchemaEnumNameOrOptions]
    : never;

export type CompositeTypes<
  PublicCompositeTypeNameOrOptions extends
    | keyof DefaultSchema['CompositeTypes']
    | { schema: keyof DatabaseWithoutInternals },
  CompositeTypeName extends PublicCompositeTypeNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  }
    ? keyof DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions['schema']]['CompositeTypes']
    : never = never,
> = PublicCompositeTypeNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions['schema']]['CompositeTypes'][CompositeTypeName]
  : PublicCompositeTypeNameOrOptions extends keyof DefaultSchema['CompositeTypes']
    ? DefaultSchema['CompositeTypes'][PublicCompositeTypeNameOrOptions]
    : never;

export const Constants = {
  public: {
    Enums: {},
  },
} as const;
