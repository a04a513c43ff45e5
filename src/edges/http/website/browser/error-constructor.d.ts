/** V8 has it; for other engines it is a member without effect. */
interface ErrorConstructor {
  stackTraceLimit: number;
}
