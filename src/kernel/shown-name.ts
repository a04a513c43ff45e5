/** What people call themselves and their things: shown in lists and mails, so without control characters. */
export const shownName = /^[^\p{Cc}\p{Cs}]*$/u;
