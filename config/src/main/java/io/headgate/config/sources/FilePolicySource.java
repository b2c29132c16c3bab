package io.headgate.config.sources;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.config.ConfigException;
import io.headgate.config.internal.yaml.Problems;
import io.headgate.config.internal.yaml.SourceText;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The policies of a file, or of all {@code .yaml} and {@code .yml} files of a directory. Its version is a hash of the content.
 *
 * <p>Changes are noticed by events of the file system, and by comparing attributes of the file twice a second where there are no events,
 * as on network file systems. A file is read when it has not changed for 100 ms. So that half of it is never read, write another file, and
 * rename it. Symbolic links are followed, so that a mounted ConfigMap of Kubernetes is noticed as a whole.
 */
public final class FilePolicySource implements PolicySource {

    private static final int VERSION_DIGITS = 12;

    private final Path path;
    private final FileWatch watch;

    private FilePolicySource(Path path) {
        this.path = path;
        this.watch = new FileWatch(path, FilePolicySource::isPolicyFile);
    }

    /**
     * Creates a source.
     *
     * @param path a file, or a directory with files directly in it; it may not exist yet
     */
    public static FilePolicySource of(Path path) {
        return new FilePolicySource(path);
    }

    @Override
    public String name() {
        return path.toString();
    }

    @Override
    public PolicyDocument read() {
        List<PolicyDocument.Text> texts = new ArrayList<>();
        for (Path file : files()) {
            texts.add(new PolicyDocument.Text(file.toString(), SourceText.read(file, new Problems(file.toString()))));
        }
        return new PolicyDocument(version(texts), texts);
    }

    private List<Path> files() {
        if (!Files.isDirectory(path)) {
            return List.of(path);
        }
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(path, file -> isPolicyFile(file.getFileName()))) {
            all.forEach(files::add);
        } catch (IOException | DirectoryIteratorException e) {
            throw failure("cannot be read: " + e.getMessage());
        }
        if (files.isEmpty()) {
            throw failure("has no .yaml or .yml file");
        }
        files.sort(null);
        return files;
    }

    /** Hidden files, which editors leave, do not count. */
    private static boolean isPolicyFile(Path name) {
        String text = name.toString();
        return !text.startsWith(".") && (text.endsWith(".yaml") || text.endsWith(".yml"));
    }

    private ConfigException failure(String problem) {
        String text = path + ": " + problem;
        return new ConfigException(List.of(text), text);
    }

    private static String version(List<PolicyDocument.Text> texts) {
        MessageDigest hash;
        try {
            hash = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each JDK has SHA-256", e);
        }
        for (PolicyDocument.Text text : texts) {
            hash.update(text.yaml().getBytes(UTF_8));
            hash.update((byte) 0);
        }
        return HexFormat.of().formatHex(hash.digest()).substring(0, VERSION_DIGITS);
    }

    @Override
    public void watch(Runnable changed) {
        watch.start(changed);
    }

    @Override
    public void close() {
        watch.close();
    }
}
