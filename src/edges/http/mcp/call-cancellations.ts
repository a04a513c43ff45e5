/**
 * Cancellations of calls, between the processes of the service: a caller may send one to another process than the one that
 * works on its call. Each is sent once; one that is lost on the way cancels nothing.
 */
export type CallCancellations = {
  /** Tells every process, this one too, to cancel the call of this name. */
  send(callName: string): Promise<void>;
  /** Calls `cancel` with the name of each call that a process wants cancelled. */
  onReceived(cancel: (callName: string) => void): void;
};
