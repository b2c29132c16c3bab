package io.headgate.redis.queues;

import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptFiles;
import java.util.Map;

/** The scripts that audit a queue, each a step of bounded size. */
final class AuditScripts {

    final Script header;
    final Script heads;
    final Script list;
    final Script set;
    final Script places;
    final Script claims;
    final Script keys;
    final Script twice;
    final Script count;
    final Script adjust;

    /** Assembles the scripts from files and from the given parts. */
    AuditScripts(ScriptFiles files, Map<String, String> parts) {
        this.header = files.script("audit_header", "audit", parts);
        this.heads = files.script("audit_heads", "audit", parts);
        this.list = files.script("audit_list", "audit", parts);
        this.set = files.script("audit_set", "audit", parts);
        this.places = files.script("audit_places", "audit", parts);
        this.claims = files.script("audit_claims", "audit", parts);
        this.keys = files.script("audit_keys", "audit", parts);
        this.twice = files.script("audit_twice", "audit", parts);
        this.count = files.script("audit_count", "audit", parts);
        this.adjust = files.script("audit_adjust", "audit", parts);
    }
}
