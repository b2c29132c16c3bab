package io.headgate.server.serve;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.MediaType;
import io.headgate.server.cli.Version;
import io.headgate.server.http.Responses;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Base64;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The page at {@code /}: the store, its health, the counts, and commands to try.
 *
 * <p>The page is complete without its script, which only refreshes the numbers. It loads nothing from other hosts. Its content security
 * policy allows only this style and this script, by their hashes.
 */
final class Page {

    private static final String HTML = resource("page.html");
    private static final String STYLE = resource("page.css");
    private static final String SCRIPT = resource("page.js");
    private static final String CONTENT_POLICY = "default-src 'none'; connect-src 'self'; style-src '" + hash(STYLE)
            + "'; script-src '" + hash(SCRIPT) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private final Status status;
    private final URI self;

    Page(Status status, URI self) {
        this.status = status;
        this.self = self;
    }

    HttpResponse response() {
        return Responses.of(
                Responses.headers(200)
                        .contentType(MediaType.HTML_UTF_8)
                        .set(HttpHeaderNames.CONTENT_SECURITY_POLICY, CONTENT_POLICY)
                        .set(HttpHeaderNames.REFERRER_POLICY, "no-referrer"),
                html().getBytes(StandardCharsets.UTF_8));
    }

    String html() {
        // Values cannot contain a placeholder, because escaped() replaces their braces.
        return HTML.replace("{{style}}", STYLE)
                .replace("{{script}}", SCRIPT)
                .replace("{{uptime}}", clock(status.uptime()))
                .replace("{{version}}", escaped(Version.text()))
                .replace("{{store}}", escaped(status.store()))
                .replace("{{health}}", escaped(status.healthText()))
                .replace("{{policyVersion}}", escaped(policyVersion()))
                .replace(
                        "{{policies}}",
                        status.policies().stream().map(this::section).collect(Collectors.joining()));
    }

    private String policyVersion() {
        return status.policyStatus()
                .map(now -> "version " + now.version() + ", since " + now.since()
                        + now.rejected().map(rejection -> "; " + rejection).orElse(""))
                .orElse("fixed");
    }

    private String section(PolicyView policy) {
        String name = escaped(policy.name());
        return """
                <section>
                <div class="head"><h2>%1$s</h2>
                <span class="count"><b data-of="%1$s allowed">%2$d</b> allowed</span>
                <span class="count denied"><b data-of="%1$s denied">%3$d</b> denied</span>
                <span class="count"><b data-of="%1$s by fallback">%4$d</b> by fallback</span>
                <span class="count failed"><b data-of="%1$s failed">%5$d</b> failed</span></div>
                <table>
                <tr><th>rule</th><th>admits</th><th>denied</th></tr>
                %6$s</table>
                <pre>%7$s</pre>
                </section>
                """.formatted(
                        name,
                        status.counts().allowed(policy.name()),
                        status.counts().denied(policy.name()),
                        status.counts().byFallback(policy.name()),
                        status.counts().failures(policy.name()),
                        policy.rules().stream().map(rule -> row(policy, rule)).collect(Collectors.joining()),
                        escaped(policy.example().apply(self)));
    }

    private String row(PolicyView policy, PolicyView.RuleView rule) {
        String count =
                rule.shadow() ? "<td><span data-of=\"%s\">%d</span> in shadow mode</td>" : "<td data-of=\"%s\">%d</td>";
        return ("<tr><td>%s</td><td>%s</td>" + count + "</tr>%n")
                .formatted(
                        escaped(rule.name()),
                        escaped(rule.admits()),
                        escaped(policy.name() + " by " + rule.name()),
                        status.counts().denied(policy.name(), rule.name()));
    }

    private static String clock(Duration uptime) {
        return String.format(
                Locale.ROOT, "%d:%02d:%02d", uptime.toHours(), uptime.toMinutesPart(), uptime.toSecondsPart());
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;")
                .replace("{", "&#123;");
    }

    private static String hash(String content) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(content.getBytes(StandardCharsets.UTF_8));
            return "sha256-" + Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static String resource(String name) {
        try (InputStream in = Page.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is missing next to " + Page.class.getName());
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
