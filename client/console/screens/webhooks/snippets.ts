/** Code that verifies deliveries, in three languages. docs/webhooks.md has whole programs. */
export const SNIPPETS: readonly { readonly language: string; readonly code: string }[] = [
  {
    language: 'Node',
    code: `import { verifyWebhook } from '@credence/client'

const event = await verifyWebhook(request.headers, body, process.env.WEBHOOK_SECRET)`,
  },
  {
    language: 'Python',
    code: `from standardwebhooks.webhooks import Webhook

event = Webhook(os.environ["WEBHOOK_SECRET"]).verify(body, headers)`,
  },
  {
    language: 'Java',
    code: `Mac mac = Mac.getInstance("HmacSHA256");
mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret.substring("whsec_".length())), "HmacSHA256"));
String signed = id + "." + timestamp + "." + body;
String expected = "v1," + Base64.getEncoder().encodeToString(mac.doFinal(signed.getBytes(UTF_8)));
boolean verified = Arrays.stream(signatures.split(" "))
    .anyMatch(each -> MessageDigest.isEqual(each.getBytes(UTF_8), expected.getBytes(UTF_8)));`,
  },
]
