"""English words whose full stop does or does not end a sentence, beyond what Punkt knows.

The lists hold what standards, manuals, statutes and papers use; the Punkt model and its curated prefixes
know everyday English. All are in lower case. What is called a pattern is the inside of a regular expression.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NUMBERED = _words(
    """
    alg amend app approx appx apr apt art arts aug avg ca ch chap chaps cir cl cls col cong cor dec def ed
    eds eq eqn eqns eqs ex ext feb fig figs fn jan jul jun lem lib max min mon nat no nos nov oct opp p
    para paras pl pp prop pt pts pub r rec ref refs reg rev rm rule sat sec secs sect sects sep sept ser
    sess st stat std stds subd subp subpart subsec supp tab tbl tel thm tit tue v ver vers vol vols wed
    """
) - _words("col mon nat rule sat sep wed r")
"""Stand before a number, bare or in brackets: "Eq. (2)", "max. 3 m"."""

LETTERED = _words("app appx ch cl eq eqs ex fig figs sec secs sect tab tbl ref vol")
"""Those that also stand before a letter: "Fig. A.1"."""

CONTINUED = _words(
    """
    abbr adj admin al alt approx assoc attn avg bldg ca cf coeff comm conc cont corp def dept dia diam
    dist div doc e.g eg elev eng equiv esp est etc ex excl ext fed fri ft gal gen govt hon horiz hr hrs
    i.e id ie in inc incl int intl lab lb lbs lt ltd mach maj max mech mfg mfr min misc mos mt nat neg nom
    nr op orig oz para prelim prep proc qty ref refs rel req resp rev sat sched sec sess sp spec specs sq
    st std stmt sun supp tel temp thurs tues univ vert viz vs wt yd yr yrs
    """
) - _words("lab")
"""Never end a sentence before a small letter, a number or an opening bracket: "et al. report"."""

ALWAYS = _words("cf e.g i.e viz vs")
"""Never end a sentence."""

TITLES = _words("adm capt cmdr gen gov hon lt maj messrs mt rep rev sen sgt sr supt")
"""Stand before a name."""

PAIRS = r"(?:fed|pub|cong|f|l|u\.s|stat|bus|gov't)\.$", r"(?:reg|l|rep|rec|supp|code|prac|rev|app|ed)\b"
"""Patterns of shortened words that follow each other in citations: "85 Fed. Reg. 12345"."""

DESIGNATORS = (
    r"class|type|group|axis|point|grade|zone|section|annex|appendix|figure|table|case|option|variant|plan"
    r"|level|category|part|phase|wall|side|line|node|model|vitamin|hepatitis|team|schedule|exhibit|block"
    r"|unit|building|room|column|note|clause|method|step|version|volume|vs\.|Fig\.|Sec\.|App\.|Tab\."
)
"""Pattern of nouns that name something by one capital letter: "concrete of class A."."""

LABELS = (
    r"fig(?:\.|ure)|tab(?:\.|le)|ch(?:\.|apter)|sec(?:\.|t\.|tion)|app(?:\.|endix)|annex|part|article|listing"
    r"|example|step|algorithm|theorem|lemma|definition|proposition|corollary|property|remark|exhibit|plate|scheme|box|§"
)
"""Pattern of words that open a caption or a heading before its number: "Fig. 1. General view"."""

NOTES = r"notes?|warning|caution|remarks?|example"
"""Pattern of words that open a note: "Note. Loads are given …"."""

UNITS = r"in|ft|yd|lb|lbs|oz|gal|sq|cu|hr|hrs|min|max|sec|psi|deg|approx|cm|mm|km|kg|m|g|s|h"
"""Pattern of units that are also words or may be written with a full stop."""

STARTERS = _words(
    """
    a all also although an and any as at because before both but by do each every finally first for from
    he hence her here his how however if in instead it its let many moreover most next no not note now of
    on once one only or otherwise our she since so some such that the their then there therefore these
    they this those though thus to under unless until use we what when where whether which while with you
    your
    """
)
"""Words that open a sentence and are no names."""
