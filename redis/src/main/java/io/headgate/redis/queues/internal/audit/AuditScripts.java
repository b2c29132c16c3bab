package io.headgate.redis.queues.internal.audit;

import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptFiles;
import java.util.Map;

/** The scripts that audit a queue. Each call does a bounded amount of work. */
public final class AuditScripts {

    public final Script header;
    public final Script heads;
    public final Script list;
    public final Script set;
    public final Script places;
    public final Script claims;
    public final Script keys;
    public final Script duplicates;
    public final Script count;
    public final Script adjust;
    public final Script turns;

    /** Whether these are the scripts for queues with tenants. */
    final boolean tenants;

    /** Assembles the scripts from files and from the given parts. */
    public AuditScripts(ScriptFiles files, Map<String, String> parts, boolean tenants) {
        this.tenants = tenants;
        this.header = files.script("audit_header", "audit", parts);
        this.heads = files.script("audit_heads", "audit", parts);
        this.list = files.script("audit_list", "audit", parts);
        this.set = files.script("audit_set", "audit", parts);
        this.places = files.script("audit_places", "audit", parts);
        this.claims = files.script("audit_claims", "audit", parts);
        this.keys = files.script("audit_keys", "audit", parts);
        this.duplicates = files.script("audit_duplicates", "audit", parts);
        this.count = files.script("audit_count", "audit", parts);
        this.adjust = files.script("audit_adjust", "audit", parts);
        this.turns = files.script("audit_turns", "audit", parts);
    }
}
