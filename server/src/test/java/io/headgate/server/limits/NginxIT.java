package io.headgate.server.limits;

import io.headgate.server.ProxyProcess;
import io.headgate.testkit.conditions.Requirement;
import io.headgate.testkit.conditions.Requires;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** {@code ops/nginx/headgate.conf} in the real nginx. */
@Requires(Requirement.NGINX)
class NginxIT extends ProxyContract {

    @Override
    ProxyProcess start(Path folder, List<String> headgates, String appAddress) throws IOException {
        Path nginx = ProxyProcess.find("nginx").orElseThrow();
        int port = ProxyProcess.freePort();
        String example = Files.readString(Path.of("../ops/nginx/headgate.conf"))
                .replace(
                        "server 127.0.0.1:8080 max_fails=0;",
                        headgates.stream()
                                .map(headgate -> "server " + headgate + " max_fails=0;")
                                .collect(Collectors.joining(" ")))
                .replace("127.0.0.1:3000", appAddress)
                // A busy machine takes longer, and then the request would pass.
                .replace("250ms", "20s")
                .replace("1500ms", "20s")
                .replace("listen 80;", "listen 127.0.0.1:" + port + ";");
        Files.writeString(folder.resolve("headgate.conf"), example);
        Files.writeString(folder.resolve("nginx.conf"), """
                daemon off;
                pid nginx.pid;
                error_log stderr;
                worker_processes 1;
                events {}
                http {
                    access_log off;
                    client_body_temp_path body;
                    proxy_temp_path proxy;
                    fastcgi_temp_path fastcgi;
                    uwsgi_temp_path uwsgi;
                    scgi_temp_path scgi;
                    include headgate.conf;
                }
                """);
        // If this runs as root, nginx's worker runs as another user, which needs access to the folder.
        folder.toFile().setExecutable(true, false);
        return ProxyProcess.start(
                port, folder, List.of(nginx.toString(), "-p", folder + "/", "-c", "nginx.conf", "-e", "stderr"));
    }

    @Override
    int statusOfUnknownPolicy() {
        return 500;
    }

    /** nginx 1.23 joins fields of the same name; older versions show only the first. */
    @Override
    boolean seesDoubledFields() throws IOException {
        Process process = new ProcessBuilder(
                        ProxyProcess.find("nginx").orElseThrow().toString(), "-v")
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        Matcher version = Pattern.compile("nginx/1\\.(\\d+)").matcher(output);
        return version.find() && Integer.parseInt(version.group(1)) >= 23;
    }
}
