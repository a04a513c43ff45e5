/** What an account has chosen for all its requests; each member has a column of `account_settings`. */
export type RequestDefaults = {
  /** Requests that do not say it keep what they read in the library. */
  readonly keepByDefault: boolean;
  /** A tool asks before a call that costs more; null: none does. */
  readonly askAboveCredits: number | null;
};

/** The port of the settings of accounts. A choice of another process is seen within a second. */
export type RequestDefaultsStore = {
  readonly read: (accountId: string) => Promise<RequestDefaults>;
  /** Members that are left out stay as they are. */
  readonly choose: (accountId: string, chosen: Partial<RequestDefaults>) => Promise<RequestDefaults>;
};
