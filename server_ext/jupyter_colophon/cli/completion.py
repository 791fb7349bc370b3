"""`jupyter colophon completion bash|zsh|fish`: a script for the shell, which asks `completion words LINE` what fits."""

from jupyter_colophon.cli.catalog.catalog_protocol import CatalogSource
from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.catalog.completion_engine import Next, Typed
from jupyter_colophon.cli.catalog.open_catalog import opened
from jupyter_colophon.cli.command import FINE, WRONG_USAGE
from jupyter_colophon.core.errors import MetadataError

#: Options of the typed line that say which catalog is meant.
_WHICH = ("--url=", "--database=", "--storage-provider=", "--config=", "--Colophon.")

# Names in a catalog are anybody's: each shell is given them as words, and quotes them itself.
_BASH = r"""_colophon() {
    local line=${COMP_LINE:0:COMP_POINT} last cut one
    last=${line##*[[:space:]]}
    # Bash takes what is behind = or : for a word of its own.
    cut=${last%"${COMP_WORDS[COMP_CWORD]}"}
    [[ ${COMP_WORDS[COMP_CWORD]} == [=:] ]] && cut=$last
    COMPREPLY=()
    while IFS= read -r one; do
        [[ $one == "$cut"* ]] && COMPREPLY+=("$(printf %q "${one#"$cut"}")")
    done < <(jupyter-colophon completion words "$line" 2>/dev/null)
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=.] ]] && compopt -o nospace
}
_colophon_before=$(complete -p jupyter 2>/dev/null | sed -n 's/.* -F \([^ ]*\) .*/\1/p')
_colophon_jupyter() {
    if [[ ${COMP_WORDS[1]} == colophon && $COMP_CWORD -gt 1 ]]; then
        _colophon
    elif [[ $_colophon_before && $_colophon_before != _colophon_jupyter ]]; then
        "$_colophon_before" "$@"
    fi
}
complete -o default -F _colophon jupyter-colophon
complete -o default -F _colophon_jupyter jupyter
"""
_ZSH = r"""_colophon() {
    local -a found
    found=("${(@f)$(jupyter-colophon completion words "$LBUFFER" 2>/dev/null)}")
    if [[ -z ${found[1]} ]]; then
        _files
        return
    fi
    compadd -S '' -- ${(M)found:#*[=.]}
    compadd -- ${found:#*[=.]}
}
_colophon_before=${_comps[jupyter]}
_colophon_jupyter() {
    if [[ ${words[2]} == colophon && $CURRENT -gt 2 ]]; then
        _colophon
    elif [[ -n $_colophon_before && $_colophon_before != _colophon_jupyter ]]; then
        $_colophon_before
    else
        _files
    fi
}
compdef _colophon jupyter-colophon
compdef _colophon_jupyter jupyter
"""
_FISH = r"""complete -c jupyter-colophon -a '(jupyter-colophon completion words (commandline -cp | string collect) 2>/dev/null)'
complete -c jupyter -n '__fish_seen_subcommand_from colophon' \
    -a '(jupyter-colophon completion words (commandline -cp | string collect) 2>/dev/null)'
"""
_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


class Completion(CatalogCommand):
    """Tells a shell how to complete our commands, and what fits."""

    name = "jupyter-colophon-completion"
    description = (
        'bash, zsh, fish: the script for that shell, to be read at its start, as with eval "$(jupyter colophon '
        'completion bash)".'
    )
    more = "bash|zsh|fish"
    verbs = tuple(_SCRIPTS)
    subject = ""

    def work(self) -> int:
        """Give the script, or what fits."""
        word, *line = self.extra_args
        if word in _SCRIPTS and not line:
            self.answer({"script": _SCRIPTS[word]}, _SCRIPTS[word].rstrip())
            return FINE
        if word == "words" and len(line) == 1:
            return self._words(Typed.of(line[0]))
        return self.told(f"bash, zsh or fish, not {' '.join(self.extra_args)!r}", WRONG_USAGE)

    def _words(self, typed: Typed) -> int:
        from jupyter_colophon.cli.app import ColophonApp

        asked = CatalogCommand()
        asked.initialize([option for option in typed.options if option.startswith(_WHICH)])

        def source() -> CatalogSource:
            return opened(asked.url, asked.asked)

        try:
            found = Next(typed, ColophonApp, source, asked.asked.identity()).candidates()
        except (MetadataError, OSError):
            # Who is still typing is told nothing of what is wrong; the command itself will.
            found = []
        for one in found:
            print(one)
        return FINE
