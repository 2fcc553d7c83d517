#include "garment/words.h"

#include <string.h>

/* A word behind '=' counts only as a whole word of the name ("=top" in "Tops_01" and "TankTop", not in "desktop"); the
 * others count anywhere ("suit" in "sportsuit"). Lower case; English has the names of usual exporters, too (VRoid,
 * Mixamo, Reallusion, Ready Player Me, MakeHuman). */
static const char *const cloth_words[] = {
    /* English */
    "suit leotard tights legging sleeve skirt dress gown =robe jacket coat shirt blouse sweater hoodie",
    "pullover cardigan vest pants trouser jeans shorts =sock stocking glove cloth garment apparel outfit",
    "costume uniform =cape cloak scarf shawl kimono tunic =toga poncho overall wear bikini =bra panties",
    "lingerie corset fabric textile =top =bottom =tutu romper apron =kilt =sari hijab =veil towel",
    "onesie pyjama pajama jumper blazer tanktop croptop parka anorak sarong lederhose dirndl",
    /* German */
    "hemd =hose jacke kleid bluse mantel anzug aermel ärmel strumpf handschuh stoff umhang trikot",
    /* French */
    "chemise pantalon =veste =jupe manteau =gant chaussette collant tissu vetement vêtement",
    /* Spanish and Portuguese */
    "camisa camiseta falda vestido chaqueta abrigo =traje guante calcetin calcetín =ropa calça =saia casaco",
    "roupa =luva =meia",
    /* Italian */
    "camicia gonna vestito giacca maglia guanto =calze =tuta =abito",
    /* Russian */
    "рубаш брюки штаны плать юбка куртк костюм одежд перчатк носки ткань",
    /* Japanese and Chinese */
    "服 シャツ ズボン スカート ドレス 袖 手袋 靴下 衣 パンツ タイツ コート 裤 裙 袜 手套 袍 布",
    /* Korean */
    "옷 셔츠 바지 치마 재킷 장갑 양말 드레스 의상",
};

static const char *const other_words[] = {
    /* English */
    "=body =skin =head =face hair =eye eyeball eyelash =lash =lashes =brow eyebrow teeth tooth tongue =gum",
    "=mouth =nail fingernail =ear =nose =hand =foot =feet =arm =leg torso flesh =nude =naked basemesh genesis",
    "shoe =boot sneaker sandal =heel slipper footwear =hat =cap headwear helmet crown =mask glasses eyewear",
    "goggles sword shield =gun rifle weapon =bow =arrow =axe spear armor armour =metal =belt buckle =button",
    "jewel =ring necklace earring =watch =bag backpack =bone skeleton hitbox collider collision =ground",
    "=floor camera",
    /* German */
    "körper koerper =haut =kopf =haar =haare =auge =augen zähne zaehne schuh stiefel schwert =arme =beine",
    "ruestung rüstung",
    /* French */
    "=corps =peau =tete =tête cheveux =yeux =oeil =dents chaussure =bottes =epee =épée",
    /* Spanish and Portuguese */
    "cuerpo =piel cabeza =pelo cabello =ojo diente zapato =bota espada =corpo =pele cabeça cabelo =olho",
    "=dente sapato",
    /* Italian */
    "=pelle =testa capelli occhi =denti scarpe",
    /* Russian */
    "=тело кожа голова волос =глаз глаза зубы обувь ботин сапог =меч лицо",
    /* Japanese and Chinese */
    "体 肌 頭 顔 髪 目 歯 靴 剣 身体 皮肤 头 脸 发 眼 牙 鞋 剑",
    /* Korean */
    "몸 피부 머리 얼굴 눈 신발",
};

enum
{
    NAME_LIMIT = 160 /* bytes of a name that are looked at */
};

static bool is_letter(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
}

static bool is_lower(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || c >= 0x80;
}

/* Lower case of ASCII, Latin-1 and Cyrillic letters, in place: none of them changes its length. */
static void to_lower(unsigned char *text, size_t length)
{
    for (size_t i = 0; i < length; ++i)
    {
        unsigned char next = i + 1 < length ? text[i + 1] : 0;
        if (text[i] >= 'A' && text[i] <= 'Z')
        {
            text[i] = (unsigned char)(text[i] + 0x20);
        }
        else if ((text[i] == 0xc3 && next >= 0x80 && next <= 0x9e) || (text[i] == 0xd0 && next >= 0x90 && next <= 0x9f))
        {
            text[i + 1] = (unsigned char)(next + 0x20);
        }
        else if (text[i] == 0xd0 && next >= 0xa0 && next <= 0xaf)
        {
            text[i] = 0xd1;
            text[i + 1] = (unsigned char)(next - 0x20);
        }
    }
}

/* A name in both forms: as written, for where words begin, and in lower case. */
typedef struct name_forms
{
    unsigned char written[NAME_LIMIT + 2];
    unsigned char lower[NAME_LIMIT + 2];
    size_t length;
} name_forms;

/* A word of the name ends before, or begins at, position i: no letter on one side, or aB. */
static bool is_edge(const name_forms *name, size_t i)
{
    if (i == 0 || i >= name->length || !is_letter(name->written[i - 1]) || !is_letter(name->written[i]))
    {
        return true;
    }
    return is_lower(name->written[i - 1]) && !is_lower(name->written[i]);
}

/* Where the last occurrence of a word ends, or 0. */
static size_t last_end(const name_forms *name, const char *word, size_t length, bool whole)
{
    for (size_t start = name->length >= length ? name->length - length + 1 : 0; start-- > 0;)
    {
        size_t end = start + length;
        if (memcmp(name->lower + start, word, length) != 0)
        {
            continue;
        }
        bool plural = name->lower[end] == 's' && is_edge(name, end + 1);
        if (!whole || (is_edge(name, start) && (is_edge(name, end) || plural)))
        {
            return end;
        }
    }
    return 0;
}

/* The best match so far: the one that ends last, the longer of two that end together. */
typedef struct word_match
{
    const char *word;
    size_t length;
    size_t end;
    pl_word_verdict verdict;
} word_match;

static void try_words(const name_forms *name, const char *words, pl_word_verdict verdict, word_match *best)
{
    while (*words)
    {
        bool whole = words[0] == '=';
        words += whole;
        size_t length = strcspn(words, " ");
        size_t end = last_end(name, words, length, whole);
        if (end > best->end || (end && end == best->end && length > best->length))
        {
            *best = (word_match){words, length, end, verdict};
        }
        words += length;
        words += *words == ' ';
    }
}

pl_word_verdict pl_garment_word(const char *name, char word[PL_WORD_SIZE])
{
    name_forms forms = {0};
    forms.length = strnlen(name, NAME_LIMIT);
    memcpy(forms.written, name, forms.length);
    memcpy(forms.lower, name, forms.length);
    to_lower(forms.lower, forms.length);

    word_match best = {"", 0, 0, PL_WORD_NONE};
    for (size_t i = 0; i < sizeof cloth_words / sizeof cloth_words[0]; ++i)
    {
        try_words(&forms, cloth_words[i], PL_WORD_CLOTH, &best);
    }
    for (size_t i = 0; i < sizeof other_words / sizeof other_words[0]; ++i)
    {
        try_words(&forms, other_words[i], PL_WORD_OTHER, &best);
    }
    memcpy(word, best.word, best.length);
    word[best.length] = 0;
    return best.verdict;
}
