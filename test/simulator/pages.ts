const page = (title: string, body: string): string =>
  `<!DOCTYPE html><html><head><title>${title}</title></head><body>${body}</body></html>`;

/** The 404 of a caption link with a wrong signature or after its expiry. */
export const notFoundPage = page('Error 404 (Not Found)!!1', '<p><b>404.</b> <ins>That’s an error.</ins></p>');

/** The page for an address that sent too many requests. */
export const sorryPage = page(
  'Error 429 (Too Many Requests)!!1',
  '<p><b>429.</b> <ins>That’s an error.</ins></p><p>We’re sorry, but you have sent too many requests to us recently. Please try again later.</p>',
);

export const captchaPage = page(
  'YouTube',
  '<div id="captcha-page"><p>Our systems have detected unusual traffic from your network.</p><form action="/das_captcha" method="POST"><div class="g-recaptcha" data-sitekey="simulated"></div></form></div>',
);

/** The consent page of the EU; `v` goes back in the cookie `CONSENT=YES+<v>`. */
export const consentPage = (continueTo: string): string =>
  page(
    'Before you continue to YouTube',
    `<form action="https://consent.youtube.com/s" method="POST"><input type="hidden" name="gl" value="DE"><input type="hidden" name="continue" value="${continueTo}"><input type="hidden" name="v" value="cb.20260701-17-p0.de+FX+119"><input type="hidden" name="hl" value="de"><input type="submit" value="Ich stimme zu"></form>`,
  );

/** The watch page: recognizable, without data to extract. */
export const watchPage = (videoId: string): string =>
  page(
    'YouTube',
    `<script>ytcfg.set({"INNERTUBE_API_KEY":"PUBLIC_CLIENT_KEY","INNERTUBE_CONTEXT":{"client":{"clientName":"WEB","clientVersion":"2.20260630.03.00"}}});</script><link rel="canonical" href="https://www.youtube.com/watch?v=${videoId}">`,
  );

/** The error object of the JSON endpoints. */
export const apiError = (code: number, status: string, message: string, reason: string): object => ({
  error: { code, message, errors: [{ message, domain: 'global', reason }], status },
});
