import { fragment } from '../database/fragment.js'

/**
 * Audit actions that store a credential. If a wallet takes the credential in a further format later, there is a second
 * event with one of these actions.
 */
const issuing = fragment`('credential.issued', 'credential.claimed', 'credential.signed')`

const nameOfCredential = fragment`
  COALESCE((SELECT s.name FROM credentials c JOIN schemas s ON s.id = c.schema_id WHERE c.id = e.subject_id), '')`

/**
 * Defines `counts`: for each event in `seen`, the counters that it increments, with time, measure, type name and
 * detail. The record to which an event belongs is read by its id. Events of removed records, such as a session after
 * its retention time, are counted too.
 */
export const counts = fragment`
  issued AS (
    SELECT e.at, e.subject_id, ${nameOfCredential} AS type FROM seen e
    WHERE e.action IN ${issuing} AND NOT EXISTS (
      SELECT 1 FROM audit_events b
      WHERE b.subject = 'credential' AND b.subject_id = e.subject_id AND b.id < e.id AND b.action IN ${issuing})),
  counts(at, measure, type, detail) AS (
    SELECT e.at, 'offers', COALESCE(o.name, ''), '' FROM seen e
    LEFT JOIN LATERAL (
      SELECT s.name, o.of_authorization FROM offerings o JOIN schemas s ON s.id = o.schema_id WHERE o.id = e.subject_id) o ON true
    WHERE e.action = 'offering.created' AND o.of_authorization IS NOT TRUE
    UNION ALL SELECT at, 'issued', type, '' FROM issued
    UNION ALL
    SELECT i.at, 'issuedIn', i.type, f.format FROM issued i
    CROSS JOIN LATERAL (SELECT DISTINCT format FROM credential_instances WHERE credential_id = i.subject_id) f
    UNION ALL
    SELECT i.at, 'offerSessions', '', 'issued' FROM issued i
    CROSS JOIN LATERAL (SELECT offering_id, redeemed_at FROM redemptions WHERE credential_id = i.subject_id) r
    WHERE EXISTS (SELECT 1 FROM offerings WHERE id = r.offering_id AND is_session)
      AND NOT EXISTS (SELECT 1 FROM redemptions b WHERE b.offering_id = r.offering_id AND b.redeemed_at < r.redeemed_at)
    UNION ALL SELECT e.at, 'revoked', ${nameOfCredential}, '' FROM seen e WHERE e.action = 'credential.revoked'
    UNION ALL
    SELECT e.at, m.measure, '', m.detail FROM seen e
    JOIN (VALUES
      ('credential-offer.expired', 'offerSessions', 'expired'),
      ('credential-offer.locked', 'offerSessions', 'failed'),
      ('offering.rejected', 'offerSessions', 'failed'),
      ('offering.cancelled', 'offerSessions', 'failed'),
      ('authorization-request.created', 'requests', ''),
      ('presentation.verified', 'verificationSessions', 'verified'),
      ('presentation.declined', 'verificationSessions', 'refused'),
      ('presentation.refused', 'verificationSessions', 'refused'),
      ('verification-session.expired', 'verificationSessions', 'expired')) AS m(action, measure, detail) ON m.action = e.action
    UNION ALL
    SELECT e.at, 'failedChecks', '', COALESCE((
        SELECT checked.value -> 'failed' ->> 'check' FROM verification_sessions v, json_array_elements(v.checks) AS checked(value)
        WHERE v.id = e.subject_id AND checked.value -> 'failed' ->> 'check' IS NOT NULL LIMIT 1), 'other')
    FROM seen e WHERE e.action = 'presentation.refused')`
